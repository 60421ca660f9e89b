import { RunFailure } from '../failures/run-failure.ts'
import { describeLimit, type Limits } from './limits.ts'
import { loadTokenizer } from './tokens.ts'

/** Why a run ends at its hard deadline. */
export function hardDeadlineReached(limits: Limits): RunFailure {
  return new RunFailure('deadline', `${describeLimit('deadline', limits)} was reached`)
}

/**
 * Ends a run at its hard deadline, unless it is disposed of before. Does not keep the process alive.
 *
 * @param timeLeftMs milliseconds to the deadline; below 0: at once
 */
export function startHardDeadline(timeLeftMs: number, end: () => void): Disposable {
  const timers = [
    setTimeout(end, Math.max(0, timeLeftMs)),
    // Counting the tokens of a timed-out run needs the tokenizer, so load it in time.
    setTimeout(() => void loadTokenizer(), Math.max(0, timeLeftMs / 2)),
  ]
  for (const timer of timers) timer.unref()
  return {
    [Symbol.dispose]() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
