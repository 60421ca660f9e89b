export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** By nearest rank; needs at least one value. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.ceil((share / 100) * sorted.length) - 1]!
}

/** The median of at least one value; for an even count, the mean of the middle two. */
export function medianOf(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort()
  const half = sorted.length / 2
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
}

const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 0,
  maximumSignificantDigits: 3,
})

/** `$0.00123`; `≈ $0.00123` for an estimate; a dash if unknown. */
export function inDollars(usd: number | null, isEstimate = false): string {
  return usd === null ? '–' : `${isEstimate && usd > 0 ? '≈ ' : ''}${DOLLARS.format(usd)}`
}

/** `45 s`, `12 min`: for times that are known roughly. */
export function inMinutes(milliseconds: number): string {
  if (milliseconds < 100_000) return inSeconds(milliseconds)
  return `${Math.round(milliseconds / 60_000)} min`
}

/** `0.035 s`, `12.3 s`. */
export function inSeconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toPrecision(3))} s`
}
