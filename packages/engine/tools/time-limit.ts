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
  const controller = new AbortController()
  const cut = Promise.withResolvers<never>()
  const onAbort = () => {
    cut.reject(caller && abortError(caller))
    controller.abort()
  }
  const timer = setTimeout(() => {
    cut.reject(timeUp())
    controller.abort()
  }, milliseconds)
  caller?.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([cut.promise, work(controller.signal)])
  } finally {
    clearTimeout(timer)
    caller?.removeEventListener('abort', onAbort)
    controller.abort(OVER)
  }
}

/** Shared: aborting without a reason would create an error with a stack trace each time. */
const OVER = new Error('the work is over')

/** The signal's reason, or an `AbortError` if that is not an `Error`. */
function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException('The work was aborted', 'AbortError')
}
