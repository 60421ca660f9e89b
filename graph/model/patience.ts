import type { Run } from '../run/run.ts'
import { ModelStalledError } from './model-error.ts'
import { MAX_ATTEMPTS } from './retry.ts'

/** Share of a run's time that a model may be silent, where its entry does not say: time for another try, and the next model. */
const PATIENCE = 0.15
/** Sound models need as long for their first word. */
const LEAST_PATIENCE_MS = 1_000

/** How long a call that is given up may take to end by itself, in milliseconds: its tokens are counted then. */
const END_MS = 100
/** Time is counted in turns of a timer: while this process is too busy to listen, a model is not silent. */
const TURNS = 10

/**
 * Milliseconds without progress after which a try is given up; `undefined`: nothing is left to try but this.
 *
 * @param set what the model's entry says, in milliseconds
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
 * Does work that must make progress.
 *
 * @param patienceMs longest time without progress, in milliseconds; `undefined`: no limit
 * @param work gets a signal that ends it, and what to call at each progress
 * @throws {ModelStalledError} when the time is over
 */
export async function withPatience<Value>(
  patienceMs: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal, advance: () => void) => Promise<Value>,
): Promise<Value> {
  if (patienceMs === undefined) return await work(signal, () => {})
  const stall = new AbortController()
  const stalled = Promise.withResolvers<never>()
  let silentTurns = 0
  const timer = setInterval(() => {
    silentTurns += 1
    if (silentTurns < TURNS) return
    clearInterval(timer)
    const error = new ModelStalledError(patienceMs)
    stall.abort(error)
    setTimeout(() => stalled.reject(error), END_MS)
  }, patienceMs / TURNS)
  const advance = () => {
    silentTurns = 0
  }
  try {
    return await Promise.race([work(AbortSignal.any([signal, stall.signal]), advance), stalled.promise])
  } catch (error) {
    throw stall.signal.aborted ? stall.signal.reason : error
  } finally {
    clearInterval(timer)
  }
}
