import type { RunRecord, RunSummary } from '../../api.ts'
import { inDollars, medianOf } from '../../figures.ts'
import { duration, numberText } from './format.ts'

export interface Figure {
  readonly name: string
  readonly of: (run: RunSummary) => number | null
  readonly text: (value: number | null) => string
}

export const FIGURES: readonly Figure[] = [
  { name: 'Wall clock', of: run => run.wallMs, text: duration },
  { name: 'Reported', of: ({ durationSec }) => durationSec && durationSec * 1000, text: duration },
  { name: 'Tokens in', of: run => run.inputTokens, text: numberText },
  { name: 'Tokens out', of: run => run.outputTokens, text: numberText },
  { name: 'Steps', of: run => run.steps, text: numberText },
  { name: 'Cost', of: run => run.costUsd, text: value => inDollars(value) },
]

/** What runs of the same task took. */
export type Spread = NonNullable<ReturnType<typeof spreadOf>>

/** The repeats of a run that succeeded: one that failed took another time. The run alone if there are none. */
export function sampleOf(run: RunRecord): readonly RunSummary[] {
  const succeeded = run.repeats.filter(({ status }) => status === 'success')
  return succeeded.length > 0 ? succeeded : [run]
}

/** Undefined if none of the runs tells the figure. */
export function spreadOf(runs: readonly RunSummary[], of: Figure['of']) {
  const values = runs.map(of).filter(value => value !== null)
  if (values.length === 0) return undefined
  return {
    /** How many runs tell it. */
    runs: values.length,
    median: medianOf(values),
    least: Math.min(...values),
    most: Math.max(...values),
  }
}

/** A change is told in fewer than so many of one comparison in which only chance is at work. */
const MAX_CHANCE = 0.01

/**
 * Whether two runs differ by more than their own repeats do: all of one lie beyond all of the other, and are so many
 * that chance seldom brings that about. Five of each are; one of each never is.
 */
export function isBeyondNoise(one: Spread, other: Spread): boolean {
  const areApart = one.most < other.least || other.most < one.least
  return areApart && chanceOf(one.runs, other.runs) < MAX_CHANCE
}

/** How likely the values of so many runs all lie on one side of those of so many others, if all orders are alike. */
function chanceOf(runs: number, others: number): number {
  let orders = 1
  for (let n = 1; n <= runs; n += 1) orders *= (others + n) / n
  return 2 / orders
}
