import type { Report, TaskResult } from './report.ts'
import type { Summary } from './summary.ts'

/** The figures of a summary, in the order in which reports show them. */
export const FIGURES: readonly { readonly name: string; readonly of: (summary: Summary) => string }[] = [
  { name: 'pass', of: ({ passShare, passed, failed }) => share(passShare, passed, passed + failed) },
  { name: 'not served (runs)', of: ({ notServed }) => String(notServed) },
  { name: 'unsteady (tasks)', of: ({ unsteady }) => String(unsteady) },
  { name: 'input tokens (mean)', of: ({ inputTokens }) => rounded(inputTokens) },
  { name: 'output tokens (mean)', of: ({ outputTokens }) => rounded(outputTokens) },
  { name: 'steps (mean)', of: ({ steps }) => rounded(steps, 1) },
  { name: 'p50', of: ({ p50Ms }) => seconds(p50Ms) },
  { name: 'p95', of: ({ p95Ms }) => seconds(p95Ms) },
]

/** The report for a terminal: a table of figures, then every task with a run that did not pass. */
export function toText({ summaries, tasks, repeat }: Report): string {
  const head = ['', ...summaries.map(({ name }) => name)]
  const rows = [head, ...FIGURES.map(({ name, of }) => [name, ...summaries.map(of)])]
  const widths = head.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const table = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const rest = tasks.flatMap(({ name, results }) => {
    return results.flatMap((result, index) => {
      return result.verdict === 'pass' ? [] : describe(name, summaries[index]?.name ?? '', result)
    })
  })
  return [`${tasks.length} tasks, ${repeat} times each`, ...table, '', ...rest].join('\n')
}

function describe(task: string, variant: string, { verdict, passed, runs, problems }: TaskResult): string[] {
  if (verdict === 'not_served') return [`not served  ${variant}: ${task}`]
  const head = `${verdict.padEnd(10)}  ${variant}: ${task} (${passed} of ${runs})`
  return [head, ...problems.map(problem => `              ${problem}`)]
}

function share(value: number | null, passed: number, served: number): string {
  return value === null ? 'none served' : `${rounded(value * 100, 1)} % (${passed} of ${served})`
}

function rounded(value: number | null, digits = 0): string {
  return value === null ? '-' : String(Number(value.toFixed(digits)))
}

function seconds(milliseconds: number | null): string {
  return milliseconds === null ? '-' : `${Number((milliseconds / 1000).toPrecision(3))} s`
}
