import { inDollars, inSeconds, medianOf, sumOf } from '@agent-task-service/rehearsal/figures'
import type { Metrics } from '@agent-task-service/wire/contract'
import type { JudgedRun } from './report.ts'

export type JudgedRuns = readonly JudgedRun[]

/** What a report says of a variant's runs. Means and the median are over served runs. */
export const VARIANT_FIGURES: readonly (readonly [name: string, of: (runs: JudgedRuns) => string])[] = [
  ['pass', passText],
  ['not served (runs)', runs => String(runs.length - servedOf(runs).length)],
  ['unsteady (tasks)', runs => String(byTask(runs).filter(own => verdictOf(own) === 'unsteady').length)],
  ['input tokens (mean)', runs => meanText(runs, 'input_tokens', 0)],
  ['output tokens (mean)', runs => meanText(runs, 'output_tokens', 0)],
  ['steps (mean)', runs => meanText(runs, 'steps', 1)],
  ['time (median)', timeText],
  ['cost (all runs)', costText],
]

export function byVariant(runs: JudgedRuns): JudgedRuns[] {
  return [...Map.groupBy(runs, ({ variant }) => variant).values()]
}

export function byTask(runs: JudgedRuns): JudgedRuns[] {
  return [...Map.groupBy(runs, ({ task }) => task).values()]
}

/** Share of the served runs that passed, 0 to 1; undefined if none were served. */
export function passShare(runs: JudgedRuns): number | undefined {
  const served = servedOf(runs)
  return served.length === 0 ? undefined : passedOf(runs).length / served.length
}

export function passedOf(runs: JudgedRuns): JudgedRuns {
  return runs.filter(({ verdict }) => verdict === 'pass')
}

/** Of the served runs of a task, all, none or some passed; or there are none. */
export function verdictOf(runs: JudgedRuns): 'pass' | 'fail' | 'unsteady' | 'not served' {
  const share = passShare(runs)
  if (share === undefined) return 'not served'
  if (share === 1) return 'pass'
  return share === 0 ? 'fail' : 'unsteady'
}

/** `$0.12`, `≈ $0.12, 3 runs unknown`; `unknown` */
export function costText(runs: JudgedRuns): string {
  const known = runs.flatMap(({ cost }) => cost ?? [])
  if (known.length === 0) return 'unknown'
  const isEstimate = known.some(cost => cost.isEstimate)
  const usd = inDollars(sumOf(known.map(cost => cost.usd)), isEstimate)
  const unknown = runs.length - known.length
  return unknown > 0 ? `${usd}, ${counted(unknown, 'run')} unknown` : usd
}

/** `1 run`, `2 runs` */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function servedOf(runs: JudgedRuns): JudgedRuns {
  return runs.filter(({ verdict }) => verdict !== 'not_served')
}

function passText(runs: JudgedRuns): string {
  const share = passShare(runs)
  if (share === undefined) return 'none served'
  return `${rounded(share * 100, 1)} % (${passedOf(runs).length} of ${servedOf(runs).length})`
}

function meanText(runs: JudgedRuns, name: keyof Metrics, digits: number): string {
  const values = servedOf(runs).flatMap(({ metrics }) => metrics?.[name] ?? [])
  if (values.length === 0) return '-'
  return rounded(sumOf(values) / values.length, digits)
}

function timeText(runs: JudgedRuns): string {
  const served = servedOf(runs)
  return served.length === 0 ? '-' : inSeconds(medianOf(served.map(({ wallMs }) => wallMs)))
}

function rounded(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)))
}
