import { sumOf } from '../../figures.ts'

/** Different values among them, at least. */
const LEAST_VALUES = 4
/** Standard deviations of what chance makes of a rank correlation: five are one case in three million. */
const CERTAIN = 5
const SUSPICIOUS = 2.5
/** No agent does one task at so many times its own least cost. */
const STEEP = 20

/** Whether values rise or fall with the order in which they came, whatever their steps: surely, perhaps, or no more than by chance. */
export function trendIn(values: readonly number[]): 'certain' | 'suspicious' | 'none' {
  if (new Set(values).size < LEAST_VALUES) return 'none'
  // Such as those that fall until they are one.
  if (isOrdered(values) || isOrdered(values.toReversed())) return 'certain'
  const deviations = Math.abs(deviationsOf(values, [...values.keys()]))
  if (deviations < SUSPICIOUS) return 'none'
  const isSteep = Math.max(...values) >= STEEP * Math.min(...values)
  return deviations >= CERTAIN || isSteep ? 'certain' : 'suspicious'
}

/** Whether the greater the one value of a pair, the greater the other: surely. */
export function isRising(pairs: readonly (readonly [number, number])[]): boolean {
  const [ones, others] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
  return [ones, others].every(values => new Set(values).size > 1) && deviationsOf(ones, others) >= CERTAIN
}

/** How far from chance a rank correlation is: Fisher's transformation, with the variance of ranks. */
function deviationsOf(ones: readonly number[], others: readonly number[]): number {
  const correlation = correlationOf(ranksOf(ones), ranksOf(others))
  return Math.atanh(Math.max(-1, Math.min(correlation, 1))) * Math.sqrt(Math.max(0, ones.length - 3) / 1.06)
}

function isOrdered(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value >= values[index - 1]!)
}

/** Equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  return values.map(value => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2)
}

/** Both have the same mean. */
function correlationOf(ranks: readonly number[], others: readonly number[]): number {
  const mean = (ranks.length - 1) / 2
  const product = (one: readonly number[], other: readonly number[]) =>
    sumOf(one.map((value, index) => (value - mean) * (other[index]! - mean)))
  return product(ranks, others) / Math.sqrt(product(ranks, ranks) * product(others, others))
}
