import type { BigNumber } from 'mathjs'
import { ToolError } from '../tool.ts'

/**
 * How far a number can be trusted. `exact`: every digit. `rounded`: to 64 significant digits.
 * `double`: it went through a 64-bit float, so about 15.
 */
export type Accuracy = 'exact' | 'rounded' | 'double'

export interface Real {
  readonly number: BigNumber
  readonly accuracy: Accuracy
}

/** The class behind mathjs's BigNumber: what is used of it. */
export interface DecimalClass {
  new (value: BigNumber | number | string): BigNumber
  clone(options: { precision: number; rounding?: number }): DecimalClass
  div(left: BigNumber, right: BigNumber): BigNumber
  sqrt(value: BigNumber): BigNumber
}

/** Integers and decimals are exact up to this many significant digits. */
export const DIGITS = 64
/** Results from 1e5000 up, or below 1e-5000, are refused: that bounds the cost of every operation. */
export const MAXIMUM_EXPONENT = 5000
export const LARGEST = `10^${MAXIMUM_EXPONENT.toLocaleString('en')}`
export const SMALLEST = `10^-${MAXIMUM_EXPONENT.toLocaleString('en')}`
/** Room to see whether a sum or a product of two 64-digit numbers lost a digit. */
export const WIDE_DIGITS = 130

/** The two precisions of one mathjs instance; made once, they hold no state. */
export interface DecimalClasses {
  readonly wide: DecimalClass
  readonly narrow: DecimalClass
}

export function decimalClasses(decimal: DecimalClass): DecimalClasses {
  return { wide: decimal.clone({ precision: WIDE_DIGITS }), narrow: decimal.clone({ precision: DIGITS }) }
}

export function worst(left: Accuracy, right: Accuracy): Accuracy {
  if (left === 'double' || right === 'double') return 'double'
  return left === 'rounded' || right === 'rounded' ? 'rounded' : 'exact'
}

/** log10 of the size, as a double; 0 for zero. */
export function decimalLogarithm(value: Real): number {
  const [mantissa = '1', exponent = '0'] = value.number.abs().toExponential(15).split('e')
  return value.number.isZero() ? 0 : Number(exponent) + Math.log10(Number(mantissa))
}

/** Whether operations on it take noticeably longer. */
export function isLong(value: Real): boolean {
  return value.number.precision() > 20
}

/** Decimal places from the highest digit of either to the lowest digit of either. */
export function span(left: BigNumber, right: BigNumber): number {
  if (left.isZero() || right.isZero()) return 0
  const lowest = Math.min(left.e - left.precision(), right.e - right.precision())
  return Math.max(left.e, right.e) - lowest + 1
}

export function tooLarge(limit: string): ToolError {
  return new ToolError(
    `Overflow: a result is larger than ${limit}. Use smaller numbers, or work with logarithms.`,
  )
}

export function tooSmall(limit: string): ToolError {
  return new ToolError(
    `Underflow: a result is closer to zero than ${limit}. Use larger numbers, or logarithms.`,
  )
}
