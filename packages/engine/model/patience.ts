import { ModelStalledError } from '../failures/model-trouble.ts'
import type { Advance } from '../run/run-callback-handler.ts'
import { TurnTimer } from '../run/turn-timer.ts'

/** How long a call that is given up may take to end by itself, so that its tokens are counted, in milliseconds. */
const END_MS = 100

/** How long to wait for what, in milliseconds; `undefined`: as long as it takes. */
interface Patience {
  /** Longest time without progress. */
  readonly silentMs: number | undefined
  /** Longest time with nothing but reasoning; ignored if it is not above 0. */
  readonly reasoningMs: number | undefined
}

/**
 * Runs work that must keep making progress.
 *
 * @param work receives a signal that ends it, and a function to call at each sign of progress
 * @throws {ModelStalledError} if it makes no progress, or only reasons, for too long
 */
export async function withPatience<Value>(
  { silentMs, reasoningMs = 0 }: Patience,
  signal: AbortSignal,
  work: (signal: AbortSignal, advance: Advance) => Promise<Value>,
): Promise<Value> {
  const stall = new AbortController()
  const stalled = Promise.withResolvers<never>()
  let isSilent = true
  const giveUp = (error: ModelStalledError) => {
    stall.abort(error)
    setTimeout(() => stalled.reject(error), END_MS)
  }
  using silence =
    silentMs === undefined
      ? undefined
      : new TurnTimer(silentMs, () => giveUp(new ModelStalledError(silentMs, isSilent)))
  const thought =
    reasoningMs > 0
      ? setTimeout(() => {
          if (!isSilent) giveUp(new ModelStalledError(reasoningMs, false, 'only reasoned'))
        }, reasoningMs)
      : undefined
  const advance: Advance = progress => {
    isSilent = false
    if (progress === 'finish') silence?.pause()
    else silence?.restart()
    if (progress !== 'reasoning') clearTimeout(thought)
  }
  try {
    return await Promise.race([work(AbortSignal.any([signal, stall.signal]), advance), stalled.promise])
  } catch (error) {
    throw stall.signal.aborted ? stall.signal.reason : error
  } finally {
    clearTimeout(thought)
  }
}
