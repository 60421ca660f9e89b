import { ToolError } from '../tool.ts'
import { type Arithmetic, BigNumber, type Numbers, ONE } from './arithmetic.ts'

const LARGEST_FACTORIAL = 1000
const LARGEST_CHOICE = 500
const LARGEST_SET = 1e15
/** Of whole numbers in gcd, lcm and remainders. */
export const MOST_DIGITS = 90

/** Requires a whole number; ignores rounding errors. */
export function whole(math: Arithmetic, name: string, value: BigNumber, least: number, most: number): number {
  const tidy = math.tidy(value)
  if (tidy.isInteger() && tidy.gte(least) && tidy.lte(most)) return math.nearest(tidy, ONE, 1).toNumber()
  const range = `from ${least} to ${most.toLocaleString('en')}`
  throw new ToolError(`${name} needs a whole number ${range}, not ${tidy.toSignificantDigits(12)}.`)
}

/** n (n-1) ... over k factors. */
function falling(n: number, k: number): bigint {
  let product = 1n
  for (let index = 0; index < k && product > 0; index++) product *= BigInt(n - index)
  return product
}

/** Without `factors` the factorial. */
export function permutations(math: Arithmetic, [items, factors = items]: Numbers, name: string): BigNumber {
  const k = whole(math, name, factors, 0, LARGEST_FACTORIAL)
  math.spend(20 + 2 * k)
  return math.settle(new BigNumber(String(falling(whole(math, name, items, 0, LARGEST_SET), k))))
}

export function combinations(math: Arithmetic, [items, chosen]: Numbers, name: string): BigNumber {
  const n = whole(math, name, items, 0, LARGEST_SET)
  const wanted = whole(math, name, chosen, 0, LARGEST_SET)
  const k = Math.min(wanted, n - wanted)
  if (k > LARGEST_CHOICE)
    throw new ToolError(`${name} chooses at most ${LARGEST_CHOICE} items (or all but ${LARGEST_CHOICE}).`)
  math.spend(30 + 4 * k)
  return new BigNumber(k < 0 ? 0 : String(falling(n, k) / falling(k, k)))
}

/** Folds whole numbers, the first of which sets the unit. */
function fold(step: (left: bigint, right: bigint) => bigint) {
  return (math: Arithmetic, values: Numbers, name: string): BigNumber => {
    const integers = values.map(value => {
      const tidy = math.tidy(value)
      math.spend(20 + tidy.precision() ** 2 / 500)
      if (tidy.isInteger() && tidy.e < MOST_DIGITS) return BigInt(math.nearest(tidy, ONE, 1).toFixed())
      throw new ToolError(
        `${name} needs whole numbers of at most ${MOST_DIGITS} digits, not ${tidy.toSignificantDigits(12)}.`,
      )
    })
    return math.settle(new BigNumber(String(integers.reduce(step))).abs())
  }
}

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b))

export const gcd = fold(divisor)
export const lcm = fold((a, b) => (a === 0n ? a : (a / divisor(a, b)) * b))
