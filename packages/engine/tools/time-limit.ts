import { abortError, abortOf, type CancelSource, withCancellation } from '../run/cancellation.ts'

/**
 * Runs `work` until it settles, the caller aborts, or the time is up. Does not wait for work that ignores its signal.
 * `work` gets a new signal, always aborted by the time this returns, so that nothing it left open (such as an unread
 * error page) outlives it. Removes its listener from the caller's signal, which may live long.
 *
 * @param caller aborts the work; its reason is rethrown, always as an `Error`
 * @param milliseconds time limit
 * @param timeUp creates the error to throw when time is up
 *
 * @example
 * const tooSlow = () => new ToolError('too slow')
 * const page = await withTimeLimit(config.signal, 4_000, signal => fetch(url, { signal }), tooSlow)
 */
export async function withTimeLimit<Result>(
  caller: AbortSignal | undefined,
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
  timeUp: () => Error,
): Promise<Result> {
  if (caller?.aborted) throw abortError(caller)
  const limit: CancelSource = cancel => {
    const timer = setTimeout(() => cancel(timeUp()), milliseconds)
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  }
  return await withCancellation(work, limit, abortOf(caller))
}
