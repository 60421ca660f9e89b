/** By nearest rank, of one value at least. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil((share / 100) * sorted.length) - 1]!
}

/** `0.035 s`, `12.3 s`. */
export function inSeconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toPrecision(3))} s`
}
