import type { Decimal } from 'decimal.js'
import { Exact } from './numbers.ts'

/** A number of a row, by its index. */
export interface Entry {
  readonly row: number
  readonly value: Decimal
}

/** A result; `≈` stands before one that is rounded. */
export interface Result {
  readonly value: Decimal
  readonly isRounded: boolean
}

/** Significant digits of a mean that does not end. */
const DIGITS = 15
const Rounded = Exact.clone({ precision: 60 })

const exactly = (value: Decimal): Result => ({ value, isRounded: false })

/** What becomes of numbers, of which there is at least one. */
export const OPERATIONS: Readonly<
  Record<'sum' | 'mean' | 'median' | 'min' | 'max', (entries: readonly Entry[]) => Result>
> = {
  sum: entries => exactly(sum(entries)),
  mean: entries => quotient(sum(entries), entries.length),
  median(entries) {
    const sorted = largestFirst(entries)
    const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
    return quotient(sum(middle), middle.length)
  },
  min: entries => exactly(entries.reduce((least, one) => (one.value.lt(least.value) ? one : least)).value),
  max: entries => exactly(entries.reduce((most, one) => (one.value.gt(most.value) ? one : most)).value),
}

/** Equal ones stay in the order of their rows. */
export function largestFirst(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) => other.value.cmp(one.value))
}

function sum(entries: readonly Entry[]): Decimal {
  return entries.reduce((total, { value }) => total.plus(value), new Exact(0))
}

function quotient(total: Decimal, count: number): Result {
  const value = new Rounded(total).div(count)
  const short = value.toSignificantDigits(DIGITS)
  const isRounded = !new Exact(short).times(count).eq(total)
  // A total of more digits may be a whole number of times as large.
  if (isRounded && new Exact(value).times(count).eq(total)) return exactly(value)
  return { value: short, isRounded }
}
