/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Each contestant's figures. */
export type Measured<Name extends string, Figures> = Readonly<Record<Name, Figures>>

/** The median of each figure over several rounds. */
export function medians<Name extends string, Figures extends object>(
  rounds: readonly Measured<Name, Figures>[],
): Measured<Name, Figures> {
  const [first] = rounds
  if (first === undefined) throw new Error('expected at least one round')
  const names = Object.keys(first) as Name[]
  const over = (name: Name) => {
    const figures = Object.keys(first[name]) as (keyof Figures)[]
    return figures.map(key => [key, median(rounds.map(round => Number(round[name][key])))])
  }
  return Object.fromEntries(names.map(name => [name, Object.fromEntries(over(name))])) as Measured<
    Name,
    Figures
  >
}
