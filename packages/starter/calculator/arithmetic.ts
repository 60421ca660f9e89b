import { ToolError } from '@agent-task-service/engine/tool'
import type { Decimal } from 'decimal.js'
import type { Fraction as ExactNumber } from 'fraction.js'
// @ts-expect-error: mathjs exports them, but its types omit them
import { createBigNumberClass, createFractionClass } from 'mathjs'

export const Fraction: typeof ExactNumber = createFractionClass()
export type Fraction = ExactNumber
/** A fraction is exact; a decimal is rounded to the working precision. */
export type Real = Fraction | Decimal

/** Longer fractions are rounded: digits above and below. A short denominator keeps sums of fractions fast. */
const [MOST_DIGITS, MOST_BELOW] = [3500, 200]
const [LARGEST_NUMERATOR, LARGEST_DENOMINATOR] = [10n ** BigInt(MOST_DIGITS), 10n ** BigInt(MOST_BELOW)]
const [LARGEST_EXPONENT, LARGEST_POWER] = [5000, 1e9]
/** Milliseconds at each precision, roughly. */
const MOST_WORK = 15
/** Digits that rounding may have made wrong. */
const SPARE_DIGITS = 10

export const [ZERO, ONE, TEN] = [new Fraction(0), new Fraction(1), new Fraction(10)]

/** Exactly, rather than by rounding. */
const isZero = (value: Real) => value instanceof Fraction && value.n === 0n
export const isWholeNumber = (value: Real): value is Fraction => value instanceof Fraction && value.d === 1n

/** Whether a power of a fraction stays exact. */
function isShort({ n, d }: Fraction, times: number): boolean {
  const digits = (whole: bigint) => (whole === 1n ? 0 : String(whole).length * times)
  return digits(n) <= MOST_DIGITS && digits(d) <= MOST_BELOW
}

/**
 * Reads decimal text, such as `1.5e-3`.
 * @throws {ToolError} for other text, or out of range
 */
export function readNumber(text: string): Fraction {
  const [digits = '', power = '0'] = text.toLowerCase().split('e')
  if (!/^-?[\d.]*\d[\d.]*$/.test(digits) || Math.abs(Number(power)) > LARGEST_EXPONENT)
    throw new ToolError(`${text.slice(0, 40)} is no number, or out of range: exponents go up to 5,000.`)
  return new Fraction(digits).mul(TEN.pow(power)!)
}

const decimals = new Map<number, typeof Decimal>()

/** The class of decimals of this precision. Making one takes longer than most evaluations. */
function decimalsOf(digits: number): typeof Decimal {
  const known = decimals.get(digits) ?? createBigNumberClass({ config: { precision: digits } })
  decimals.set(digits, known)
  return known
}

/**
 * The operations on numbers, at one working precision, with the notes of one evaluation. Fractions stay exact where
 * they can. Every method throws a ToolError if the result is not real or out of range.
 */
export class Arithmetic {
  /** Lines to print after the result, without duplicates. */
  readonly notes = new Set<string>()
  readonly #digits: number
  readonly #Rounded: typeof Decimal
  #work = 0

  /** @param digits the working precision */
  constructor(digits: number) {
    this.#digits = digits
    this.#Rounded = decimalsOf(digits)
  }

  get pi(): Decimal {
    return this.#Rounded.acos(-1)
  }

  get e(): Real {
    return this.apply(ONE, x => x.exp(), 0.1)
  }

  rounded(value: Real): Decimal {
    if (!(value instanceof Fraction)) return value
    return new this.#Rounded(String(value.s * value.n)).div(String(value.d))
  }

  settle(value: Real): Real {
    if (value instanceof Fraction) {
      const staysExact = value.n < LARGEST_NUMERATOR && value.d < LARGEST_DENOMINATOR
      return staysExact ? value : this.settle(this.rounded(value))
    }
    if (value.isNaN()) throw new ToolError('The result is not a real number.')
    if (value.isFinite() && Math.abs(value.e) <= LARGEST_EXPONENT) return value
    throw new ToolError(
      `${value.e < 0 ? 'Underflow' : 'Overflow'}: results go from 10^-5000 to 10^5000. Use other units, or logarithms.`,
    )
  }

  compare(left: Real, right: Real): number {
    if (left instanceof Fraction && right instanceof Fraction) return left.compare(right)
    return this.rounded(left).cmp(this.rounded(right))
  }

  sign(value: Real): number {
    return this.compare(value, ZERO)
  }

  add(left: Real, right: Real): Real {
    const sum = this.#combine('add', left, right)
    if (sum instanceof Fraction || isZero(left) || isZero(right)) return sum
    const isLost = sum.isZero() || sum.e < this.rounded(left).e + 3 - this.#digits
    if (!isLost) return sum
    this.notes.add('Two rounded values agree in all computed digits; their difference was taken as 0.')
    return new this.#Rounded(0)
  }

  multiply(left: Real, right: Real): Real {
    return isZero(left) || isZero(right) ? ZERO : this.#combine('mul', left, right)
  }

  divide(left: Real, right: Real): Real {
    if (this.sign(right) === 0) throw new ToolError('Division by zero: the result is undefined.')
    return this.#combine('div', left, right)
  }

  #combine(verb: 'add' | 'mul' | 'div', left: Real, right: Real): Real {
    const areExact = left instanceof Fraction && right instanceof Fraction
    return this.settle(areExact ? left[verb](right) : this.rounded(left)[verb](this.rounded(right)))
  }

  /** Counts about so many milliseconds of computing. */
  spend(cost: number): void {
    this.#work += cost
    if (this.#work > MOST_WORK)
      throw new ToolError('The expression needs too much computing. Split it into several smaller ones.')
  }

  /** Applies a function whose results are rounded, except such as cos(0) and ln(1). */
  apply(value: Real, compute: (x: Decimal) => Decimal, cost = 1): Real {
    this.spend(cost)
    const result = compute(this.rounded(value))
    const isExact = isWholeNumber(value) && value.n < 2n && result.isInteger()
    return isExact ? new Fraction(result.toNumber()) : this.settle(result)
  }

  power(base: Real, exponent: Real): Real {
    const sign = this.sign(base)
    if (sign === 0 && this.sign(exponent) < 0)
      throw new ToolError('Division by zero: 0 to a negative power is undefined.')
    if (sign < 0 && !isWholeNumber(exponent))
      throw new ToolError('A fractional power of a negative number is not real: use cbrt or nthRoot(x, n).')
    if (this.compare(base, ONE) === 0 || isZero(exponent)) return ONE
    if (sign === 0) return ZERO
    const times = Math.abs(this.rounded(exponent).toNumber())
    if (times > LARGEST_POWER)
      throw new ToolError('The exponent is too large: it may be at most 1,000,000,000.')
    if (isWholeNumber(exponent) && base instanceof Fraction) {
      const factor = this.sign(exponent) < 0 ? base.inverse() : base
      if (isShort(factor, times)) return factor.pow(times)!
    }
    return this.apply(base, x => x.pow(this.rounded(exponent)))
  }

  root(value: Real, degree: number): Real {
    if (this.sign(value) < 0 && degree % 2 === 0)
      throw new ToolError('An even root of a negative number is not real (it is complex).')
    if (this.sign(value) < 0) return this.root(value.neg(), degree).neg()
    const near = this.apply(
      value,
      x => (degree === 2 ? x.sqrt() : x.pow(this.rounded(new Fraction(1, degree)))),
      degree === 2 ? 0.1 : 1,
    )
    const short = readNumber(this.#shortened(near).toString())
    const isExact = value instanceof Fraction && isShort(short, degree) && short.pow(degree)!.equals(value)
    return isExact ? short : near
  }

  /** Without the digits that rounding may have made wrong. */
  #shortened(value: Real): Decimal {
    return this.rounded(value).toSignificantDigits(this.#digits - SPARE_DIGITS)
  }

  /** The integer below the value. What differs from a whole or a half only by rounding is taken as that, with a note. */
  floor(value: Real): Real {
    if (value instanceof Fraction) return value.floor()
    if (value.e >= this.#digits - SPARE_DIGITS) return value
    const near = this.#shortened(value)
    if (near.isInteger())
      this.notes.add(`A rounded value that is ${near} in all computed digits was taken as exactly that.`)
    return readNumber(near.floor().toString())
  }
}
