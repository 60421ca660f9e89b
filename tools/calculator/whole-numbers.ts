import { ToolError } from '../tool.ts'
import { type Arithmetic, type BigNumber, type Numbers, ONE, ZERO } from './arithmetic.ts'

const LARGEST_FACTORIAL = 1000
const LARGEST_CHOICE = 500
const LARGEST_SET = 1e15

/** Requires a whole number; ignores rounding errors. */
export function whole(math: Arithmetic, name: string, value: BigNumber, least: number, most: number): number {
  const tidy = math.tidy(value)
  if (tidy.isInteger() && tidy.gte(least) && tidy.lte(most)) return tidy.toNumber()
  const range = `from ${least} to ${most.toLocaleString('en')}`
  throw new ToolError(`${name} needs a whole number ${range} here, not ${tidy.toSignificantDigits(12)}.`)
}

/** n (n-1) ... over k factors; without k the factorial. */
export function permutations(math: Arithmetic, [items, factors = items]: Numbers, name: string): BigNumber {
  const k = whole(math, name, factors, 0, LARGEST_FACTORIAL)
  const n = whole(math, name, items, 0, LARGEST_SET)
  math.spend(20 + 2 * k)
  let product = ONE
  for (let index = 0; index < k; index++) product = math.settle(product.times(Math.max(n - index, 0)))
  return product
}

export function combinations(math: Arithmetic, [items, chosen]: Numbers, name: string): BigNumber {
  const n = whole(math, name, items, 0, LARGEST_SET)
  const wanted = whole(math, name, chosen, 0, LARGEST_SET)
  const k = Math.min(wanted, n - wanted)
  if (k > LARGEST_CHOICE)
    throw new ToolError(`${name} chooses at most ${LARGEST_CHOICE} items (or all but ${LARGEST_CHOICE}).`)
  math.spend(30 + 4 * k)
  let ways = k < 0 ? ZERO : ONE
  for (let index = 0; index < k; index++) ways = math.settle(ways.times(n - index).div(index + 1))
  return ways
}

function fold(step: (left: BigNumber, right: BigNumber) => BigNumber) {
  return (math: Arithmetic, values: Numbers, name: string): BigNumber =>
    values
      .map(value => math.tidy(value))
      .reduce((left, right) => {
        math.spend(20 + 10 * Math.min(left.precision(), right.precision()))
        if (left.isInteger() && right.isInteger() && left.e < 64 && right.e < 64) return step(left, right)
        throw new ToolError(`${name} needs whole numbers of at most 64 digits, in the unit of the first.`)
      })
}

function divisor(a: BigNumber, b: BigNumber): BigNumber {
  return b.isZero() ? a.abs() : divisor(b, a.mod(b))
}

export const gcd = fold(divisor)
export const lcm = fold((a, b) => (a.isZero() ? a : a.div(divisor(a, b)).times(b).abs()))
