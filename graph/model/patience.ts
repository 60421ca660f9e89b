import { TurnTimer } from '../run/turn-timer.ts'
import { ModelStalledError } from './model-error.ts'

/** How long a call that is given up may take to end by itself, so that its tokens are counted, in milliseconds. */
const END_MS = 100

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
