import { percentile } from '../staging/figures.ts'
import type { Trial } from './evaluate.ts'

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

export function summarise(name: string, trials: readonly Trial[]): Summary {
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
