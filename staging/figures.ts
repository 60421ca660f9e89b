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

/** `0.035 s`, `12.3 s`. */
export function inSeconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toPrecision(3))} s`
}
