import type { Decimal } from 'decimal.js'
// @ts-expect-error: mathjs exports it, but its types omit it
import { createBigNumberClass } from 'mathjs'
import { ToolError } from '../tool.ts'

/** A decimal; `known` is how many of its digits are right, where that is less than its length shows. */
export type BigNumber = Decimal & { known?: number }
/** A function's arguments; its signature says how many there are at least. */
export type Numbers = readonly [BigNumber, BigNumber, ...BigNumber[]]
/** mathjs's decimals, at 200 digits. */
export const BigNumber: typeof Decimal = createBigNumberClass({ config: { precision: 200 } })

/** Trusted digits before and after a function such as sin(), which would be too slow at full precision. */
export const DIGITS = 190
const COARSE_DIGITS = 22
export const Coarse = BigNumber.clone({ precision: COARSE_DIGITS + 4 })
/** Refuses results from 1e5000 up or below 1e-5000, which bounds the cost of every operation. */
const LARGEST_EXPONENT = 5000
const LARGEST_POWER = 1e9
/** Microseconds per expression, estimated before each operation. Ordinary input of 1,000 characters stays below. */
const BUDGET = 6000

export const PI = BigNumber.acos(-1)
export const [ZERO, ONE] = [new BigNumber(0), new BigNumber(1)]
export const EXACT = Number.POSITIVE_INFINITY
/** How many digits are right; EXACT for a number of fewer digits that comes from no rounded one. */
export const digitsOf = (value: BigNumber): number =>
  Math.min(value.known ?? EXACT, value.precision() > DIGITS - 8 ? DIGITS : EXACT)
/** Long operands cost noticeably more. */
const isLong = (value: BigNumber) => value.precision() > 40

/**
 * The operations on numbers, with the state of one evaluation: its budget and its notes. Results know their precision.
 * Every method throws a ToolError when the result is not real or is out of range.
 */
export class Arithmetic {
  /** Lines to print after the result, without duplicates. */
  readonly notes = new Set<string>()
  #left = BUDGET

  spend(microseconds: number): void {
    this.#left -= microseconds
    if (this.#left < 0)
      throw new ToolError('The expression needs too much computing. Split it into several smaller ones.')
  }

  /** Checks the range and rounds to the working precision; at most `most` digits are right. */
  settle(value: BigNumber, most = EXACT): BigNumber {
    const known = Math.min(most, value.known ?? EXACT)
    if (value.isNaN()) throw new ToolError('The result is not a real number.')
    checkRange(value.e, -LARGEST_EXPONENT, LARGEST_EXPONENT)
    if (known < 1) throw new ToolError('Rounding leaves no digit of the result. Rearrange the expression.')
    return Object.assign(value.toSignificantDigits(DIGITS + 10), { known })
  }

  add(left: BigNumber, right: BigNumber): BigNumber {
    this.spend(4)
    const sum = left.plus(right)
    const [larger, smaller] = left.abs().gt(right.abs()) ? [left, right] : [right, left]
    if (sum.eq(larger) && !smaller.isZero())
      this.notes.add(`A number too small beside another was lost: sums keep ${DIGITS + 10} digits.`)
    // When two rounded numbers cancel, few digits of the rest are known, or none: 1/3*3 - 1 is 0, not 1e-200.
    const known = Math.min(...[left, right].map(one => digitsOf(one) - (one.isZero() ? 0 : one.e - sum.e)))
    return known > 0 ? this.settle(sum, known) : ZERO
  }

  subtract(left: BigNumber, right: BigNumber): BigNumber {
    return this.add(left, Object.assign(right.neg(), { known: digitsOf(right) }))
  }

  multiply(left: BigNumber, right: BigNumber): BigNumber {
    this.spend(isLong(left) && isLong(right) ? 30 : 3)
    return this.settle(left.times(right), Math.min(digitsOf(left), digitsOf(right)))
  }

  divide(left: BigNumber, right: BigNumber): BigNumber {
    this.spend(isLong(right) ? 50 : 4)
    if (right.isZero()) throw new ToolError('Division by zero: the result is undefined.')
    return this.settle(left.div(right), Math.min(digitsOf(left), digitsOf(right)))
  }

  /** Applies a mathjs function at low precision, in the range of doubles. */
  coarse(cost: number, value: BigNumber, apply: (x: BigNumber) => BigNumber): BigNumber {
    const digits = digitsOf(value)
    const at = (x: BigNumber) => {
      this.spend(cost)
      const result = new BigNumber(apply(new Coarse(x)))
      checkRange(result.e, -323, 308)
      return result
    }
    const result = at(value)
    if (digits === EXACT) return this.settle(result, COARSE_DIGITS)
    // Right are the digits that stay when the value's first unknown digit changes.
    const change = at(value.minus(value.times(`1e-${digits}`))).minus(result)
    return this.settle(result, change.isZero() ? COARSE_DIGITS : Math.min(COARSE_DIGITS, result.e - change.e))
  }

  /** The value without digits that may be wrong. */
  trusted(value: BigNumber): BigNumber {
    return value.toSignificantDigits(Math.min(digitsOf(value), DIGITS + 10))
  }

  /** The integer that the value differs from only by rounding, otherwise the value itself. */
  tidy(value: BigNumber): BigNumber {
    const near = this.trusted(value)
    return near.isInteger() && near.e < digitsOf(value) ? near : value
  }

  /** Rounds to a multiple of the unit; the result is exact if a known digit follows. */
  nearest(value: BigNumber, unit: BigNumber, mode: 1 | 2 | 3 | 4): BigNumber {
    this.spend(20)
    const [digits, length] = [digitsOf(value), value.e - unit.e + 1]
    const known = digits > length ? EXACT : Math.min(digits, length - 1)
    return this.settle(this.trusted(value).toNearest(unit, mode), known)
  }

  power(base: BigNumber, given: BigNumber): BigNumber {
    const exponent = this.tidy(given)
    if (base.isZero() && exponent.lt(0))
      throw new ToolError('Division by zero: 0 to a negative power is undefined.')
    if (base.lt(0) && !exponent.isInteger())
      throw new ToolError(
        'A fractional power of a negative number is not real: write cbrt(x) or nthRoot(x, n).',
      )
    const [mantissa] = base.abs().toExponential(15).split('e')
    const decades = base.isZero() ? 0 : exponent.toNumber() * (base.e + Math.log10(Number(mantissa)))
    checkRange(decades, -LARGEST_EXPONENT - 1, LARGEST_EXPONENT + 1)
    if (exponent.eq(0.5)) return this.root(base, 2)
    if (!exponent.isInteger())
      return this.settle(
        this.coarse(250, exponent, y => new Coarse(base).pow(y)),
        digitsOf(base) - exponent.e,
      )
    if (exponent.abs().gt(LARGEST_POWER) && !base.abs().eq(1))
      throw new ToolError('The exponent is too large: it may be at most 1,000,000,000.')
    this.spend((isLong(base) || exponent.abs().gt(20) ? 25 : 2) * Math.log2(exponent.abs().toNumber() + 2))
    return this.settle(base.pow(exponent), digitsOf(base) - exponent.e)
  }

  root(value: BigNumber, degree: number): BigNumber {
    if (value.lt(0) && degree % 2 === 0)
      throw new ToolError('An even root of a negative number is not real (it is complex).')
    if (value.lt(0)) return this.subtract(ZERO, this.root(this.subtract(ZERO, value), degree))
    if (value.isZero() || degree === 1) return value
    if (degree > 2) return this.coarse(250, value, x => x.pow(new Coarse(1).div(degree)))
    this.spend(200)
    return this.settle(value.sqrt(), digitsOf(value))
  }
}

/** @throws {ToolError} unless the exponent is in range */
function checkRange(exponent: number, least: number, most: number): void {
  // decimal.js gives infinity the exponent NaN.
  if (exponent > most || Number.isNaN(exponent))
    throw new ToolError(`Overflow: a result is larger than 10^${most}. Use smaller numbers, or logarithms.`)
  if (exponent < least)
    throw new ToolError(`Underflow: a result is closer to 0 than 10^${least}. Use larger numbers.`)
}
