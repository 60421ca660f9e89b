import type { Task } from '../staging/tasks/task.ts'
import type { Trial } from './evaluate.ts'
import { type Summary, summarise } from './summary.ts'
import type { Variant } from './variant.ts'

/** The result of an evaluation, as written by `--json`. */
export interface Report {
  /** ISO 8601, UTC */
  readonly startedAt: string
  readonly repeat: number
  readonly summaries: readonly Summary[]
  readonly tasks: readonly TaskReport[]
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
