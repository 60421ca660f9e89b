import type { BigNumber } from 'mathjs'
import { ToolError } from '../tool.ts'
import {
  type Accuracy,
  type DecimalClass,
  type DecimalClasses,
  DIGITS,
  decimalLogarithm,
  isLong,
  LARGEST,
  MAXIMUM_EXPONENT,
  type Real,
  SMALLEST,
  span,
  tooLarge,
  tooSmall,
  WIDE_DIGITS,
  worst,
} from './decimals.ts'

/** The cost of one expression, in units of about a microsecond. Ordinary ones of 1,000 characters stay below. */
const BUDGET = 3000

/**
 * The operations on reals. One instance serves one expression and carries its budget. Sums, products, quotients,
 * square roots and whole powers are done in 64 decimal digits; everything transcendental goes through doubles
 * (see `fromDouble`), because 64 digits of a sine cost half a millisecond and 200 of them fit in one expression.
 * Every method throws a ToolError when there is no real result or it is out of bounds.
 */
export class Arithmetic {
  readonly #wide: DecimalClass
  readonly #narrow: DecimalClass
  #left = BUDGET

  constructor(decimals: DecimalClasses) {
    this.#wide = decimals.wide
    this.#narrow = decimals.narrow
  }

  /** Charges for work before it is done. */
  spend(cost: number): void {
    this.#left -= cost
    if (this.#left < 0)
      throw new ToolError(
        'The expression needs too much computing. Split it into several smaller calculations.',
      )
  }

  /** Rounds a computed number to 64 digits and keeps track of whether that changed it. */
  settle(number: BigNumber, accuracy: Accuracy): Real {
    if (number.e > MAXIMUM_EXPONENT || Number.isNaN(number.e)) throw tooLarge(LARGEST)
    if (number.e < -MAXIMUM_EXPONENT) throw tooSmall(SMALLEST)
    if (number.precision() <= DIGITS) return { number, accuracy }
    return { number: number.toSignificantDigits(DIGITS), accuracy: worst('rounded', accuracy) }
  }

  /** Takes decimal text or a decimal of any precision. */
  from(value: BigNumber | number | string, accuracy: Accuracy = 'exact'): Real {
    this.spend(1)
    return this.settle(new this.#wide(value), accuracy)
  }

  /** Takes the outcome of a floating-point function; an outcome that is not a finite number is an error. */
  fromDouble(value: number): Real {
    this.spend(3)
    if (Number.isNaN(value)) throw new ToolError('The result is not a real number.')
    if (!Number.isFinite(value)) throw tooLarge('1.8e308, the limit of this function')
    return { number: new this.#wide(value), accuracy: 'double' }
  }

  /** The nearest double; the argument of every floating-point function passes here. */
  toDouble(value: Real): number {
    this.spend(3)
    const double = value.number.toNumber()
    if (!Number.isFinite(double))
      throw new ToolError('An argument is too large for this function: it takes numbers up to 1.8e308.')
    if (double === 0 && !value.number.isZero())
      throw new ToolError('An argument is too close to zero for this function: the smallest is about 5e-324.')
    return double
  }

  add(left: Real, right: Real): Real {
    this.spend(2)
    const accuracy = worst(left.accuracy, right.accuracy)
    const sum = left.number.plus(right.number)
    if (accuracy === 'exact' && span(left.number, right.number) > WIDE_DIGITS)
      return this.settle(sum, 'rounded')
    // What is left of two inexact numbers that cancel is noise: 1/3*3 - 1 must be 0, not -1e-64.
    if (accuracy !== 'exact' && !sum.isZero()) {
      const lost = Math.max(left.number.e, right.number.e) - sum.e
      if (lost >= (accuracy === 'double' ? 15 : DIGITS - 2)) return { number: new this.#wide(0), accuracy }
    }
    return this.settle(sum, accuracy)
  }

  subtract(left: Real, right: Real): Real {
    return this.add(left, this.negate(right))
  }

  negate(value: Real): Real {
    return { number: value.number.negated(), accuracy: value.accuracy }
  }

  multiply(left: Real, right: Real): Real {
    this.spend(isLong(left) && isLong(right) ? 8 : 3)
    return this.settle(left.number.times(right.number), worst(left.accuracy, right.accuracy))
  }

  divide(left: Real, right: Real): Real {
    this.spend(isLong(right) ? 24 : isLong(left) ? 12 : 6)
    if (right.number.isZero()) throw new ToolError('Division by zero: the result is undefined.')
    const quotient = new this.#wide(this.#narrow.div(left.number, right.number))
    const exact = quotient.times(right.number).eq(left.number)
    const accuracy = worst(left.accuracy, right.accuracy)
    return this.settle(quotient, exact ? accuracy : worst('rounded', accuracy))
  }

  squareRoot(value: Real): Real {
    this.spend(110)
    if (value.number.isNegative() && !value.number.isZero())
      throw new ToolError(
        'The square root of a negative number is not real (it is complex). Only real results are supported.',
      )
    const root = new this.#wide(this.#narrow.sqrt(value.number))
    const exact = root.times(root).eq(value.number)
    return this.settle(root, exact ? value.accuracy : worst('rounded', value.accuracy))
  }

  /** `exponent` is a whole number, at most 1e9 either way. */
  wholePower(base: Real, exponent: number): Real {
    if (exponent < 0 && base.number.isZero())
      throw new ToolError('Division by zero: 0 to a negative power is undefined.')
    const decades = exponent * decimalLogarithm(base)
    if (decades > MAXIMUM_EXPONENT + 1) throw tooLarge(LARGEST)
    if (decades < -MAXIMUM_EXPONENT - 1) throw tooSmall(SMALLEST)
    let power: Real | undefined
    let square = base
    for (let rest = Math.abs(exponent); rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) power = power === undefined ? square : this.multiply(power, square)
      if (rest > 1) square = this.multiply(square, square)
    }
    power ??= this.from(1)
    return exponent < 0 ? this.divide(this.from(1), power) : power
  }

  /** Negative, zero or positive as left is below, equal to or above right. */
  compare(left: Real, right: Real): number {
    return this.subtract(left, right).number.comparedTo(0)
  }

  /** The whole number meant by a value a float error away from one, or the value itself. */
  tidy(value: Real): Real {
    if (value.accuracy === 'exact' || value.number.isInteger()) return value
    this.spend(3)
    const digits = value.accuracy === 'double' ? 14 : DIGITS - 4
    const near = value.number.toSignificantDigits(digits)
    return near.isInteger() ? { number: near, accuracy: value.accuracy } : value
  }
}
