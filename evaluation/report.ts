import { percentile } from '../staging/figures.ts'
import type { Task } from '../staging/tasks/task.ts'
import type { Trial } from './evaluate.ts'
import type { Variant } from './variant.ts'

/** The result of an evaluation, as written by `--json`. */
export interface Report {
  /** ISO 8601, UTC */
  readonly startedAt: string
  readonly repeat: number
  readonly summaries: readonly Summary[]
  /** Of all variants. */
  readonly cost: TotalCost
  readonly tasks: readonly TaskReport[]
}

/** The figures of one variant. Means and percentiles are over served runs; null if there are none. */
export interface Summary {
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly notServed: number
  /** Share of served runs that passed, 0 to 1. */
  readonly passShare: number | null
  /** Number of tasks with this verdict. */
  readonly unsteady: number
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly steps: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly cost: TotalCost
}

/** What all runs cost together. */
export interface TotalCost {
  /** US dollars of the runs with a known cost; null if there are none. */
  readonly usd: number | null
  readonly isEstimate: boolean
  /** Runs without a known cost. */
  readonly unpriced: number
}

export interface TaskReport {
  readonly name: string
  readonly input: string
  /** By variant. */
  readonly results: readonly TaskResult[]
}

export interface TaskResult {
  /** Of the served runs, all, none or some passed; `not_served`: there are none. */
  readonly verdict: 'pass' | 'fail' | 'unsteady' | 'not_served'
  readonly passed: number
  readonly runs: number
  /** What was wrong, without duplicates. */
  readonly problems: readonly string[]
  /** The last answer. */
  readonly output: string
  readonly cost: TotalCost
}

export function createReport(
  startedAt: Date,
  repeat: number,
  tasks: readonly Task[],
  variants: readonly Variant[],
  trials: readonly Trial[],
): Report {
  const reports = tasks.map(({ name, input }, task) => ({
    name: name ?? input,
    input,
    results: variants.map((_, index) =>
      resultOf(trials.filter(trial => trial.task === task && trial.variant === index)),
    ),
  }))
  const summaries = variants.map(({ name }, index) => {
    const unsteady = reports.filter(({ results }) => results[index]!.verdict === 'unsteady').length
    const own = trials.filter(({ variant }) => variant === index)
    return { name, unsteady, ...summarise(own) }
  })
  return { startedAt: startedAt.toISOString(), repeat, summaries, tasks: reports, cost: costOf(trials) }
}

/** A task's result for a variant in an earlier report. */
export function resultBefore(earlier: Report | undefined, task: TaskReport, variant: string) {
  const index = earlier?.summaries.findIndex(({ name }) => name === variant) ?? -1
  const same = earlier?.tasks.find(({ name, input }) => name === task.name && input === task.input)
  return same?.results[index]
}

function resultOf(trials: readonly Trial[]): TaskResult {
  const served = trials.filter(({ verdict }) => verdict !== 'not_served')
  const passed = served.filter(({ verdict }) => verdict === 'pass').length
  const some = passed === 0 ? 'fail' : 'unsteady'
  return {
    verdict: served.length === 0 ? 'not_served' : passed === served.length ? 'pass' : some,
    passed,
    runs: trials.length,
    problems: [...new Set(trials.flatMap(({ problems }) => problems))],
    output: trials.at(-1)?.output ?? '',
    cost: costOf(trials),
  }
}

function summarise(trials: readonly Trial[]): Omit<Summary, 'name' | 'unsteady'> {
  const served = trials.filter(({ verdict }) => verdict !== 'not_served')
  const passed = served.filter(({ verdict }) => verdict === 'pass').length
  const metrics = served.flatMap(trial => trial.metrics ?? [])
  const wallTimes = served.map(({ wallMs }) => wallMs)
  return {
    passed,
    failed: served.length - passed,
    notServed: trials.length - served.length,
    passShare: served.length === 0 ? null : passed / served.length,
    inputTokens: mean(metrics.map(({ input_tokens }) => input_tokens)),
    outputTokens: mean(metrics.map(({ output_tokens }) => output_tokens)),
    steps: mean(metrics.map(({ steps }) => steps)),
    p50Ms: wallTimes.length === 0 ? null : percentile(wallTimes, 50),
    p95Ms: wallTimes.length === 0 ? null : percentile(wallTimes, 95),
    cost: costOf(trials),
  }
}

function costOf(trials: readonly Trial[]): TotalCost {
  const known = trials.flatMap(({ cost }) => cost ?? [])
  return {
    usd: known.length === 0 ? null : known.reduce((sum, { usd }) => sum + usd, 0),
    isEstimate: known.some(({ isEstimate }) => isEstimate),
    unpriced: trials.length - known.length,
  }
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
