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
  /** Number of tasks with both passed and failed runs. */
  readonly unsteady: number
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly steps: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export interface TaskReport {
  readonly name: string
  readonly input: string
  /** By variant. */
  readonly results: readonly TaskResult[]
}

export interface TaskResult {
  readonly verdict: 'pass' | 'fail' | 'unsteady' | 'not_served'
  readonly passed: number
  readonly runs: number
  /** What was wrong, without duplicates. */
  readonly problems: readonly string[]
  /** The last answer. */
  readonly output: string
}

export function createReport(
  startedAt: Date,
  repeat: number,
  tasks: readonly Task[],
  variants: readonly Variant[],
  trials: readonly Trial[],
): Report {
  return {
    startedAt: startedAt.toISOString(),
    repeat,
    summaries: variants.map(({ name }, index) =>
      summarise(
        name,
        trials.filter(({ variant }) => variant === index),
      ),
    ),
    tasks: tasks.map(({ name, input }, task) => ({
      name: name ?? input,
      input,
      results: variants.map((_, index) =>
        resultOf(trials.filter(trial => trial.task === task && trial.variant === index)),
      ),
    })),
  }
}

function resultOf(trials: readonly Trial[]): TaskResult {
  const passed = trials.filter(({ verdict }) => verdict === 'pass').length
  const notServed = trials.every(({ verdict }) => verdict === 'not_served')
  const verdict = notServed
    ? 'not_served'
    : passed === trials.length
      ? 'pass'
      : passed === 0
        ? 'fail'
        : 'unsteady'
  return {
    verdict,
    passed,
    runs: trials.length,
    problems: [...new Set(trials.flatMap(({ problems }) => problems))],
    output: trials.at(-1)?.output ?? '',
  }
}

function summarise(name: string, trials: readonly Trial[]): Summary {
  const served = trials.filter(({ verdict }) => verdict !== 'not_served')
  const passed = served.filter(({ verdict }) => verdict === 'pass')
  const failed = served.filter(({ verdict }) => verdict === 'fail')
  const failedTasks = new Set(failed.map(({ task }) => task))
  const metrics = served.flatMap(trial => trial.metrics ?? [])
  const wallTimes = served.map(({ wallMs }) => wallMs)
  return {
    name,
    passed: passed.length,
    failed: failed.length,
    notServed: trials.length - served.length,
    passShare: served.length === 0 ? null : passed.length / served.length,
    unsteady: new Set(passed.map(({ task }) => task).filter(task => failedTasks.has(task))).size,
    inputTokens: mean(metrics.map(({ inputTokens }) => inputTokens)),
    outputTokens: mean(metrics.map(({ outputTokens }) => outputTokens)),
    steps: mean(metrics.map(({ steps }) => steps)),
    p50Ms: wallTimes.length === 0 ? null : percentile(wallTimes, 50),
    p95Ms: wallTimes.length === 0 ? null : percentile(wallTimes, 95),
  }
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
