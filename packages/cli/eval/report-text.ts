import {
  byTask,
  byVariant,
  costText,
  counted,
  type JudgedRuns,
  passedOf,
  VARIANT_FIGURES,
  verdictOf,
} from './figures.ts'
import type { JudgedRun, Report } from './report.ts'

/** The report for a terminal: a table of figures, then every task that did not pass or has changed. */
export function evaluationText({ runs, repeat }: Report, earlier?: Report): string {
  const tasks = byTask(runs)
  const head = `${counted(tasks.length, 'task')}, each run ${counted(repeat, 'time')}; cost in all: ${costText(runs)}`
  const lines = tasks.flatMap(byVariant).flatMap(own => linesOf(own, sameIn(earlier, own)))
  return [
    earlier ? `${head}; before: ${earlier.startedAt}` : head,
    ...table(runs, earlier),
    '',
    ...lines,
  ].join('\n')
}

/** The figures of each variant, and beside them those of the same name in an earlier report. */
function table(runs: JudgedRuns, earlier?: Report): string[] {
  const columns = byVariant(runs).flatMap(own => {
    const { variant } = own[0]!
    const before = earlier?.runs.filter(run => run.variant === variant) ?? []
    const column = [variant, own] as const
    return before.length === 0 ? [column] : [column, ['before', before] as const]
  })
  const head = ['', ...columns.map(([name]) => name)]
  const rows = [head, ...VARIANT_FIGURES.map(([name, of]) => [name, ...columns.map(([, own]) => of(own))])]
  const widths = head.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

/** The runs of the same task by the same variant in an earlier report. */
function sameIn(earlier: Report | undefined, [run]: JudgedRuns): JudgedRuns {
  const isSame = (one: JudgedRun) =>
    one.task === run!.task && one.input === run!.input && one.variant === run!.variant
  return earlier?.runs.filter(isSame) ?? []
}

/** Empty if a variant passed the task, and before too. */
function linesOf(runs: JudgedRuns, before: JudgedRuns): string[] {
  const [verdict, old] = [verdictOf(runs), verdictOf(before)]
  const isChanged = before.length > 0 && old !== verdict
  if (verdict === 'pass' && !isChanged) return []
  const was = isChanged ? `, was ${old} (${passed(before)})` : ''
  const title = `${verdict.padEnd(10)}  ${runs[0]!.variant}: ${runs[0]!.task}`
  if (verdict === 'not served') return [`${title}${was}`]
  const problems = new Set(runs.flatMap(run => run.problems))
  const head = `${title} (${passed(runs)}${was}), cost ${costText(runs)}`
  return [head, ...[...problems].map(problem => `              ${problem}`)]
}

/** `2 of 3` */
function passed(runs: JudgedRuns): string {
  return `${passedOf(runs).length} of ${runs.length}`
}
