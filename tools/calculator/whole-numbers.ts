import { ToolError } from '../tool.ts'
import type { Arithmetic } from './arithmetic.ts'
import type { BigNumber } from './parser.ts'

const LARGEST_FACTORIAL = 1000
const LARGEST_CHOICE = 500
const LARGEST_SET = 1e15

/** Requires a whole number; a rounding error away from one counts as it. */
export function whole(math: Arithmetic, name: string, value: BigNumber, least: number, most: number): number {
  const tidy = math.tidy(value)
  if (tidy.isInteger() && tidy.gte(least) && tidy.lte(most)) return tidy.toNumber()
  const range = `from ${least} to ${most.toLocaleString('en')}`
  throw new ToolError(`${name} needs a whole number ${range} here, not ${tidy.toSignificantDigits(12)}.`)
}

/** n (n-1) ... over k factors; without k the factorial. */
export function fallingPower(
  math: Arithmetic,
  name: string,
  items: BigNumber,
  factors?: BigNumber,
): BigNumber {
  const n = whole(math, name, items, 0, factors === undefined ? LARGEST_FACTORIAL : LARGEST_SET)
  const k = whole(math, name, factors ?? items, 0, LARGEST_FACTORIAL)
  math.spend(20 + k)
  return math.settle(k > n ? 0 : product(BigInt(n), k))
}

/** By halves, because a product of two numbers of equal length is the quickest. */
function product(n: bigint, count: number): bigint {
  const half = Math.floor(count / 2)
  return count < 2 ? n ** BigInt(count) : product(n, half) * product(n - BigInt(half), count - half)
}

export function chooseFrom(math: Arithmetic, name: string, items: BigNumber, chosen: BigNumber): BigNumber {
  const n = whole(math, name, items, 0, LARGEST_SET)
  const wanted = whole(math, name, chosen, 0, LARGEST_SET)
  const k = Math.min(wanted, n - wanted)
  if (k > LARGEST_CHOICE)
    throw new ToolError(`${name} chooses at most ${LARGEST_CHOICE} items (or all but ${LARGEST_CHOICE}).`)
  math.spend(30 + k)
  return math.settle(k < 0 ? 0 : product(BigInt(n), k) / product(BigInt(k), k))
}

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? (a < 0n ? -a : a) : divisor(b, a % b)
}

function fold(step: (left: bigint, right: bigint) => bigint) {
  return (math: Arithmetic, name: string, ...values: BigNumber[]): BigNumber => {
    math.spend(60 * values.length)
    const integers = values.map(value => math.tidy(value))
    if (integers.some(one => !one.isInteger() || one.e >= 64))
      throw new ToolError(`${name} needs exact whole numbers of at most 64 digits.`)
    const result = math.settle(integers.map(one => BigInt(one.toFixed())).reduce(step))
    if (result.e >= math.digits) throw new ToolError(`The result of ${name} is too large.`)
    return result
  }
}

export const gcd = fold(divisor)
export const lcm = fold((a, b) => (a === 0n ? 0n : divisor((a / divisor(a, b)) * b, 0n)))
