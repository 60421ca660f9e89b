import { inDollars, inSeconds } from '../staging/figures.ts'
import { type Report, resultBefore, type Summary, type TaskResult, type TotalCost } from './report.ts'

/** The figures of a summary, in the order in which reports show them. */
export const FIGURES: readonly { readonly name: string; readonly of: (summary: Summary) => string }[] = [
  { name: 'pass', of: ({ passShare, passed, failed }) => share(passShare, passed, passed + failed) },
  { name: 'not served (runs)', of: ({ notServed }) => String(notServed) },
  { name: 'unsteady (tasks)', of: ({ unsteady }) => String(unsteady) },
  { name: 'input tokens (mean)', of: ({ inputTokens }) => rounded(inputTokens) },
  { name: 'output tokens (mean)', of: ({ outputTokens }) => rounded(outputTokens) },
  { name: 'steps (mean)', of: ({ steps }) => rounded(steps, 1) },
  { name: 'p50', of: ({ p50Ms }) => (p50Ms === null ? '-' : inSeconds(p50Ms)) },
  { name: 'p95', of: ({ p95Ms }) => (p95Ms === null ? '-' : inSeconds(p95Ms)) },
  { name: 'cost (all runs)', of: ({ cost }) => money(cost) },
]

export const WORDS = { pass: 'pass', fail: 'fail', unsteady: 'unsteady', not_served: 'not served' }

/** A variant's figures, under its name, and those of an earlier report beside them. */
export function columnsOf({ summaries }: Report, earlier?: Report) {
  return summaries.flatMap(summary => {
    const before = earlier?.summaries.find(({ name }) => name === summary.name)
    return [summary, ...(before ? [{ ...before, name: 'before' }] : [])]
  })
}

/** The report for a terminal: a table of figures, then every task that did not pass or has changed. */
export function toText(report: Report, earlier?: Report): string {
  const { summaries, tasks } = report
  const columns = columnsOf(report, earlier)
  const head = ['', ...columns.map(({ name }) => name)]
  const rows = [head, ...FIGURES.map(({ name, of }) => [name, ...columns.map(of)])]
  const widths = head.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const table = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const rest = tasks.flatMap(task =>
    task.results.flatMap((result, index) => {
      const variant = summaries[index]!.name
      const before = resultBefore(earlier, task, variant)
      const isSame = before === undefined || before.verdict === result.verdict
      if (result.verdict === 'pass' && isSame) return []
      return describe(task.name, variant, result, isSame ? undefined : before)
    }),
  )
  return [heading(report, earlier), ...table, '', ...rest].join('\n')
}

/** `38 tasks, each run 3 times; cost in all: $0.12; before: 2026-01-01T00:00:00.000Z` */
export function heading({ tasks, repeat, cost }: Report, earlier?: Report): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
  return `${count(tasks.length, 'task')}, each run ${count(repeat, 'time')}; cost in all: ${money(cost)}${earlier ? `; before: ${earlier.startedAt}` : ''}`
}

/** `$0.12`, `≈ $0.12, 3 runs unknown`; `unknown` */
export function money(cost: TotalCost | undefined): string {
  if (!cost || cost.usd === null) return 'unknown'
  const rest = cost.unpriced > 0 ? `, ${cost.unpriced} runs unknown` : ''
  return `${inDollars(cost.usd, cost.isEstimate)}${rest}`
}

function describe(task: string, variant: string, result: TaskResult, before?: TaskResult): string[] {
  const { verdict, passed, runs, problems, cost } = result
  const was = before ? `, was ${WORDS[before.verdict]} (${before.passed} of ${before.runs})` : ''
  if (verdict === 'not_served') return [`not served  ${variant}: ${task}${was}`]
  const head = `${verdict.padEnd(10)}  ${variant}: ${task} (${passed} of ${runs}${was}), cost ${money(cost)}`
  return [head, ...problems.map(problem => `              ${problem}`)]
}

function share(value: number | null, passed: number, served: number): string {
  return value === null ? 'none served' : `${rounded(value * 100, 1)} % (${passed} of ${served})`
}

function rounded(value: number | null, digits = 0): string {
  return value === null ? '-' : String(Number(value.toFixed(digits)))
}
