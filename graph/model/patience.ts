import type { Run } from '../run/run.ts'
import { TurnTimer } from '../run/turn-timer.ts'
import { ModelStalledError } from './model-error.ts'
import { MAX_ATTEMPTS } from './retry.ts'

/** Default patience, as a share of the run's time: leaves time for another try and for the next model. */
const PATIENCE = 0.15
/** Healthy models may take this long for their first word. */
const LEAST_PATIENCE_MS = 1_000

/** How long a call that is given up may take to end by itself, so that its tokens are counted, in milliseconds. */
const END_MS = 100

/**
 * Milliseconds without progress after which a try is given up; `undefined` if there is nothing else left to try.
 *
 * @param set the model entry's own patience, in milliseconds
 */
export function patienceFor(
  run: Run | undefined,
  {
    tries,
    hasNext,
    endsAtSoftDeadline,
    set,
  }: { tries: number; hasNext: boolean; endsAtSoftDeadline: boolean; set: number | undefined },
): number | undefined {
  if (!run) return undefined
  const patienceMs = set ?? Math.max(LEAST_PATIENCE_MS, run.limits.timeoutMs * PATIENCE)
  const { timeLeftMs, wrapUp } = run.budget
  if (hasNext || (endsAtSoftDeadline && wrapUp !== undefined)) return patienceMs
  return tries < MAX_ATTEMPTS && timeLeftMs > 2 * patienceMs ? patienceMs : undefined
}

/**
 * Runs work that must keep making progress.
 *
 * @param patienceMs longest time without progress, in milliseconds; `undefined`: no limit
 * @param work receives a signal that ends it, and a function to call at each sign of progress
 * @throws {ModelStalledError} if it makes no progress for that long
 */
export async function withPatience<Value>(
  patienceMs: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal, advance: () => void) => Promise<Value>,
): Promise<Value> {
  if (patienceMs === undefined) return await work(signal, () => {})
  const stall = new AbortController()
  const stalled = Promise.withResolvers<never>()
  let isSilent = true
  using silence = new TurnTimer(patienceMs, () => {
    const error = new ModelStalledError(patienceMs, isSilent)
    stall.abort(error)
    setTimeout(() => stalled.reject(error), END_MS)
  })
  const advance = () => {
    isSilent = false
    silence.restart()
  }
  try {
    return await Promise.race([work(AbortSignal.any([signal, stall.signal]), advance), stalled.promise])
  } catch (error) {
    throw stall.signal.aborted ? stall.signal.reason : error
  }
}
