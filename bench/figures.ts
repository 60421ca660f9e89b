import { cpus, totalmem } from 'node:os'

/** Figures by what they are, with their unit. */
export type Figures = Readonly<Record<string, number>>
/** The figures of each contestant, measured in turn. */
export type Round = Readonly<Record<string, Figures>>

/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/**
 * A Markdown table of several measures: the first contestant's medians over the rounds, and how many times as much the
 * others take, as a median with its quartiles.
 */
export function comparison(measures: readonly (readonly Round[])[]): string {
  const [base = '', ...others] = Object.keys(measures[0]![0]!)
  const rows = measures.flatMap(rounds =>
    Object.keys(rounds[0]![base]!).map(what => {
      const median = quantile(valuesOf(rounds, base, what), 0.5)
      return [what, figure(median), ...others.map(name => ratio(rounds, what, name, base))]
    }),
  )
  return table(['', base, ...others], rows)
}

function ratio(rounds: readonly Round[], what: string, name: string, base: string): string {
  const values = valuesOf(rounds, name, what)
  const ratios = valuesOf(rounds, base, what).map((value, index) => values[index]! / value)
  const [low, median, high] = [0.25, 0.5, 0.75].map(share => figure(quantile(ratios, share)))
  return `${median} (${low} to ${high})`
}

function valuesOf(rounds: readonly Round[], name: string, what: string): number[] {
  return rounds.map(round => round[name]![what]!)
}

/** A number with about three significant digits. */
export function figure(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
}

/** A Markdown table; the first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

/** When and where the figures were measured. */
export function machine(): string {
  const [processors, memory] = [cpus(), (totalmem() / 2 ** 30).toFixed(0)]
  const day = new Date().toISOString().slice(0, 10)
  return `${day}: ${processors.length} × ${processors[0]?.model.trim()}, ${memory} GB, ${process.platform}, Node ${process.version}.`
}
