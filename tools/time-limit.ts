/**
 * Runs `work` until it ends, the caller aborts, or the time is up. It does not wait for work that ignores its signal.
 * That signal is the work's own and is aborted in every case once this returns, so that nothing it left open (the unread
 * body of an error page) outlives it; nothing stays attached to the caller's signal, which may live long.
 *
 * @param caller aborting it ends the work; the abort is then rethrown, always as an `Error`
 * @param milliseconds from now until `work` must have settled
 * @param timeUp makes the error for when it has not
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

/** Made once: an abort without a reason makes an error, with its stack, each time. */
const OVER = new Error('the work is over')

/** The signal's own reason; an `AbortError` in its place when the reason is not an `Error`. */
function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException('The work was aborted', 'AbortError')
}
