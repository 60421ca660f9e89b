import type { Report, Summary, TaskResult } from './report.ts'

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
  return [heading({ tasks, repeat }), ...table, '', ...rest].join('\n')
}

/** `38 tasks, each run 3 times` */
export function heading({ tasks, repeat }: Pick<Report, 'tasks' | 'repeat'>): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
  return `${count(tasks.length, 'task')}, each run ${count(repeat, 'time')}`
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
