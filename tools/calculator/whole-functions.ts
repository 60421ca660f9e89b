import { ToolError } from '../tool.ts'
import type { Real } from './decimals.ts'
import { type CalculatorFunction, type CallContext, numeric, whole } from './function.ts'

/** 1000! has 2,568 digits. */
const LARGEST_FACTORIAL = 1000
const LARGEST_CHOICE = 500

/** n! for a whole n from 0 to 1000. */
export function factorial(context: CallContext, value: Real): Real {
  return fallingPower(context, LARGEST_FACTORIAL, value, value)
}

/** n (n-1) ... over k factors. */
function fallingPower(context: CallContext, largest: number, items: Real, factors: Real): Real {
  const n = whole(context, items, 0, largest)
  const k = whole(context, factors, 0, LARGEST_FACTORIAL)
  context.arithmetic.spend(20 + k / 2)
  return k > n ? context.arithmetic.from(0) : fromInteger(context, fallingProduct(BigInt(n), k))
}

/** By halves, because a product of two numbers of equal length is the quickest. */
function fallingProduct(n: bigint, count: number): bigint {
  const half = Math.floor(count / 2)
  if (count > 8) return fallingProduct(n, half) * fallingProduct(n - BigInt(half), count - half)
  let product = 1n
  for (let index = 0n; index < count; index++) product *= n - index
  return product
}

/** Digits far below those that are kept are cut off first: long integers are slow to write in decimal. */
function fromInteger(context: CallContext, value: bigint): Real {
  const excess = Math.floor(value.toString(16).length * Math.log10(16)) - 200
  if (excess <= 0) return context.arithmetic.from(String(value))
  return context.arithmetic.from(`${value / 10n ** BigInt(excess)}e${excess}`, 'rounded')
}

function permutations(context: CallContext, items: Real, chosen?: Real): Real {
  return chosen === undefined ? factorial(context, items) : fallingPower(context, 1e15, items, chosen)
}

function combinations(context: CallContext, items: Real, chosen: Real): Real {
  const n = whole(context, items, 0, 1e15)
  const wanted = whole(context, chosen, 0, 1e15)
  const k = Math.min(wanted, n - wanted)
  if (k < 0) return context.arithmetic.from(0)
  if (k > LARGEST_CHOICE)
    throw new ToolError(
      `${context.name} chooses at most ${LARGEST_CHOICE} items (or all but ${LARGEST_CHOICE}).`,
    )
  context.arithmetic.spend(30 + k)
  return fromInteger(context, fallingProduct(BigInt(n), k) / fallingProduct(BigInt(k), k))
}

/** Exact whole numbers of up to 64 digits. */
function integers(context: CallContext, values: Real[]): bigint[] {
  return values.map(value => {
    context.arithmetic.spend(15)
    const { number, accuracy } = context.arithmetic.tidy(value)
    if (!number.isInteger() || accuracy !== 'exact' || number.e >= 64)
      throw new ToolError(`${context.name} needs exact whole numbers of at most 64 digits.`)
    return BigInt(number.toFixed())
  })
}

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right]
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

function leastCommonMultiple(left: bigint, right: bigint): bigint {
  if (left === 0n || right === 0n) return 0n
  const multiple = (left / greatestCommonDivisor(left, right)) * right
  return multiple < 0n ? -multiple : multiple
}

/** Remainder with the sign of the divisor: mod(-7, 3) is 2. */
export function remainder(context: CallContext, left: Real, right: Real): Real {
  const { arithmetic } = context
  if (right.number.isZero()) throw new ToolError('Division by zero: a remainder modulo 0 is undefined.')
  const exact = left.accuracy === 'exact' && right.accuracy === 'exact'
  const quotient = arithmetic.divide(left, right)
  if (quotient.number.e >= (exact ? 60 : 14))
    throw new ToolError('The remainder is not exact: the first number is too large beside the second.')
  if (!exact) {
    const whole = { number: arithmetic.tidy(quotient).number.floor(), accuracy: quotient.accuracy }
    return arithmetic.subtract(left, arithmetic.multiply(whole, right))
  }
  // At most 60 and 64 digits are multiplied, which the decimals hold without rounding.
  let rest = left.number.minus(quotient.number.floor().times(right.number))
  // The quotient is rounded to 64 digits, so its floor can be one too high beside a whole number.
  if (!rest.isZero() && rest.isNegative() !== right.number.isNegative()) rest = rest.plus(right.number)
  return arithmetic.from(rest)
}

/** Functions of whole numbers. */
export const WHOLE_FUNCTIONS: Readonly<Record<string, CalculatorFunction>> = {
  factorial: numeric('factorial(n)', 1, 1, factorial),
  permutations: numeric('permutations(n, k)', 1, 2, permutations),
  nPr: numeric('nPr(n, k)', 2, 2, permutations),
  combinations: numeric('combinations(n, k)', 2, 2, combinations),
  nCr: numeric('nCr(n, k)', 2, 2, combinations),
  choose: numeric('choose(n, k)', 2, 2, combinations),
  gcd: numeric('gcd(a, b, ...)', 2, 100, fold(greatestCommonDivisor)),
  lcm: numeric('lcm(a, b, ...)', 2, 100, fold(leastCommonMultiple)),
  mod: numeric('mod(a, b)', 2, 2, remainder),
}

function fold(step: (left: bigint, right: bigint) => bigint) {
  return (context: CallContext, ...values: Real[]): Real => {
    let result: bigint | undefined
    for (const value of integers(context, values)) {
      context.arithmetic.spend(40)
      result = result === undefined ? value : step(result, value)
      if (String(result).length > 1000) throw new ToolError(`The result of ${context.name} is too large.`)
    }
    return context.arithmetic.from(String(result ?? 0n))
  }
}
