import type { Decimal } from 'decimal.js'
// @ts-expect-error: mathjs exports it, but its types omit it
import { createBigNumberClass } from 'mathjs'
import { ToolError } from '../tool.ts'

/** A decimal; `known` is how many of its digits are right, absent where all are. */
export type BigNumber = Decimal & { known?: number }
/** A function's arguments; its signature says how many there are at least. */
export type Numbers = readonly [BigNumber, BigNumber, ...BigNumber[]]
/** mathjs's decimals, at 200 digits. */
export const BigNumber: typeof Decimal = createBigNumberClass({ config: { precision: 200 } })

/** Trusted digits before and after a function such as sin(), which would be too slow at full precision. */
const DIGITS = 190
const COARSE_DIGITS = 22
export const Coarse = BigNumber.clone({ precision: COARSE_DIGITS + 4 })
/** For sums, products and remainders without rounding; a quotient or root might never end. */
export const Unrounded = BigNumber.clone({ precision: 1e9 })
/** Rounds exact numbers that are longer. */
const LONGEST_EXACT = 3000
/** Refuses results from 1e5000 up or below 1e-5000, which bounds the cost of every operation. */
const LARGEST_EXPONENT = 5000
const LARGEST_POWER = 1e9
/** Microseconds per expression, estimated before each operation. Ordinary input of 1,000 characters stays below. */
const BUDGET = 6000

export const [ZERO, ONE] = [new BigNumber(0), new BigNumber(1)]
export const EXACT = Number.POSITIVE_INFINITY
/** How many digits are right. */
export const digitsOf = (value: BigNumber): number => value.known ?? EXACT
/** Marks a number that fills the precision as rounded. */
export const irrational = (value: BigNumber): BigNumber =>
  value.precision() < DIGITS ? value : Object.assign(value, { known: DIGITS })
export const PI = irrational(BigNumber.acos(-1))
export const RIGHT_ANGLE = irrational(BigNumber.acos(0))

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

  /** Checks the range, and rounds what is not exact or too long; at most `most` digits are right. */
  settle(value: BigNumber, most = EXACT): BigNumber {
    const known = Math.min(most, digitsOf(value))
    if (value.isNaN()) throw new ToolError('The result is not a real number.')
    checkRange(value.e, -LARGEST_EXPONENT, LARGEST_EXPONENT)
    if (known < 1)
      throw new ToolError('No digit of the result is certain after rounding. Rearrange the expression.')
    if (known === EXACT && value.precision() <= LONGEST_EXACT) return new BigNumber(value)
    const rounded = new BigNumber(value.toSignificantDigits(DIGITS + 10))
    return Object.assign(rounded, { known: Math.min(known, DIGITS) })
  }

  /** @param isNoted whether to say that two rounded numbers cancel */
  add(left: BigNumber, right: BigNumber, isNoted = true): BigNumber {
    this.spend(4 + Math.abs(left.e - right.e) / 200)
    const sum = Unrounded.add(left, right)
    const rounded = [left, right].filter(one => one.known !== undefined && !one.isZero())
    const unknown = Math.max(...rounded.map(one => one.e - digitsOf(one)))
    if (rounded.length === 0 || (sum.e > unknown && !sum.isZero())) return this.settle(sum, sum.e - unknown)
    const size = `below 1e${unknown + 1}`
    if (isNoted)
      this.notes.add(`Two values agree in all known digits; their difference, ${size}, was taken as 0.`)
    return ZERO
  }

  negate(value: BigNumber): BigNumber {
    return this.settle(value.neg(), digitsOf(value))
  }

  subtract(left: BigNumber, right: BigNumber, isNoted = true): BigNumber {
    return this.add(left, this.negate(right), isNoted)
  }

  multiply(left: BigNumber, right: BigNumber): BigNumber {
    this.spend(3 + (left.precision() * right.precision()) / 2000)
    return this.settle(Unrounded.mul(left, right), Math.min(digitsOf(left), digitsOf(right)))
  }

  divide(left: BigNumber, right: BigNumber): BigNumber {
    this.spend(4 + right.precision() / 8)
    if (right.isZero()) throw new ToolError('Division by zero: the result is undefined.')
    const quotient = BigNumber.div(left, right)
    const isExact = quotient.precision() <= DIGITS && Unrounded.mul(quotient, right).eq(left)
    return this.settle(quotient, Math.min(digitsOf(left), digitsOf(right), isExact ? EXACT : DIGITS))
  }

  /** Applies a mathjs function at low precision, in the range of doubles. */
  coarse(cost: number, value: BigNumber, apply: (x: BigNumber) => BigNumber): BigNumber {
    const digits = digitsOf(value)
    const at = (x: BigNumber) => {
      this.spend(cost + x.precision() / 2)
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
    return value.known === undefined ? value : value.toSignificantDigits(value.known)
  }

  /** The integer that the value differs from only by rounding, otherwise the value itself. */
  tidy(value: BigNumber): BigNumber {
    const near = this.trusted(value)
    return near.isInteger() && near.e < digitsOf(value) ? this.settle(near, digitsOf(value)) : value
  }

  /** Rounds to a multiple of the unit; the result is exact if a known digit follows. */
  nearest(value: BigNumber, unit: BigNumber, mode: 1 | 2 | 3 | 4): BigNumber {
    this.spend(20)
    const [near, digits, length] = [this.trusted(value), digitsOf(value), value.e - unit.e + 1]
    // Beyond the known digits, floor() of 2 might be 1, and round() of 2.5 might be 2.
    const step = near.div(unit).minus(mode === 4 ? 0.5 : 0)
    if (digits !== EXACT && step.isInteger())
      this.notes.add(`A value that is ${near} in all its known digits was rounded as exactly that.`)
    return this.settle(near.toNearest(unit, mode), digits > length ? EXACT : Math.min(digits, length - 1))
  }

  power(base: BigNumber, given: BigNumber): BigNumber {
    const exponent = this.tidy(given)
    if (base.isZero() && exponent.lt(0))
      throw new ToolError('Division by zero: 0 to a negative power is undefined.')
    if (base.isZero()) return exponent.isZero() ? ONE : ZERO
    if (base.lt(0) && !exponent.isInteger())
      throw new ToolError('A fractional power of a negative number is not real: use cbrt or nthRoot(x, n).')
    const times = exponent.toNumber()
    const decades = Math.log10(Number(base.abs().toExponential(15).split('e')[0]))
    checkRange(Math.floor(times * (base.e + decades)), -LARGEST_EXPONENT, LARGEST_EXPONENT)
    if (times === 0.5) return this.root(base, 2)
    const rounded = base.toSignificantDigits(DIGITS + 30)
    if (!exponent.isInteger()) {
      const result = this.coarse(250, exponent, y => new Coarse(rounded).pow(y))
      return this.settle(result, digitsOf(base) - exponent.e)
    }
    if (Math.abs(times) > LARGEST_POWER && !base.abs().eq(1))
      throw new ToolError('The exponent is too large: it may be at most 1,000,000,000.')
    // A relative error of the exponent grows at most by the 4 digits of LARGEST_EXPONENT.
    const known = Math.min(digitsOf(base) - exponent.e, digitsOf(exponent) - 4)
    const length = known === EXACT ? times * (base.precision() - 1 + decades) : EXACT
    if (length < 0) return this.divide(ONE, this.power(base, exponent.neg()))
    const isExact = length < LONGEST_EXACT && times < LARGEST_POWER
    this.spend((isExact ? 2 : 25) * Math.log2(Math.abs(times) + 2) + (isExact ? length ** 2 / 10_000 : 0))
    if (isExact) return this.settle(Unrounded.pow(base, exponent))
    return this.settle(BigNumber.pow(rounded, exponent), Math.min(known, DIGITS - exponent.e))
  }

  root(value: BigNumber, degree: number): BigNumber {
    if (value.lt(0) && degree % 2 === 0)
      throw new ToolError('An even root of a negative number is not real (it is complex).')
    if (value.lt(0)) return this.negate(this.root(this.negate(value), degree))
    if (value.isZero() || degree === 1) return value
    this.spend(200)
    const root =
      degree === 2
        ? this.settle(value.toSignificantDigits(2 * DIGITS).sqrt(), Math.min(digitsOf(value), DIGITS))
        : this.coarse(250, value, x => x.pow(new Coarse(1).div(degree)))
    const short = new BigNumber(this.trusted(root))
    const isShort = value.known === undefined && short.precision() < digitsOf(root) - 2
    return isShort && this.power(short, new BigNumber(degree)).eq(value) ? short : root
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
