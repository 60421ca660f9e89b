import { sumOf } from '../../figures.ts'

/** Different values among them, at least. */
const LEAST_VALUES = 4
/** Standard deviations of what chance makes of a rank correlation: five are one case in three million. */
const CERTAIN = 5
const SUSPICIOUS = 2.5
/** Of a correlation in size, which a few great values make, if the one in rank is suspicious at least. */
const CERTAIN_IN_SIZE = 8
const LEAST_IN_RANK = 3.5
/** No agent does one task at so many times its own least cost. */
const STEEP = 20

/** Whether values rise or fall with the order in which they came, whatever their steps: surely, perhaps, or no more than by chance. */
export function trendIn(values: readonly number[]): 'certain' | 'suspicious' | 'none' {
  if (new Set(values).size < LEAST_VALUES) return 'none'
  // Such as those that fall until they are one.
  if (isOrdered(values) || isOrdered(values.toReversed())) return 'certain'
  const deviations = Math.abs(deviationsOf(ranksOf(values), [...values.keys()]))
  if (deviations < SUSPICIOUS) return 'none'
  const isSteep = Math.max(...values) >= STEEP * Math.min(...values)
  return deviations >= CERTAIN || isSteep ? 'certain' : 'suspicious'
}

/** Whether the greater the one value of a pair, the greater the other: surely. */
export function isRising(pairs: readonly (readonly [number, number])[]): boolean {
  const [ones, others] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
  if ([ones, others].some(values => new Set(values).size === 1)) return false
  const inRank = deviationsOf(ranksOf(ones), ranksOf(others))
  return inRank >= CERTAIN || (inRank >= LEAST_IN_RANK && deviationsOf(ones, others) >= CERTAIN_IN_SIZE)
}

/** How far from chance a correlation is: Fisher's transformation, with the variance of ranks. */
function deviationsOf(ones: readonly number[], others: readonly number[]): number {
  const correlation = correlationOf(ones, others)
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

function correlationOf(ones: readonly number[], others: readonly number[]): number {
  const [a, b] = [centred(ones), centred(others)]
  const product = (one: readonly number[], other: readonly number[]) =>
    sumOf(one.map((value, index) => value * other[index]!))
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}

function centred(values: readonly number[]): number[] {
  const mean = sumOf(values) / values.length
  return values.map(value => value - mean)
}
