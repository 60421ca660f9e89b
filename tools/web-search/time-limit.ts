/**
 * Runs `work` until it ends, the caller aborts, or the time is up. `work` gets a signal of its own, which
 * is aborted in every case once this returns, so that nothing it left open (the unread body of an error
 * page) outlives it. The caller's signal may live as long as the service: nothing stays attached to it.
 *
 * @param caller aborting it ends the work; the abort is then rethrown, always as an `Error`
 * @param milliseconds from now until `work` must have settled
 * @param timeUp makes the error for when it has not
 */
export async function withTimeLimit<Result>(
  caller: AbortSignal,
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
  timeUp: () => Error,
): Promise<Result> {
  if (caller.aborted) throw abortError(caller)
  const controller = new AbortController()
  const onAbort = (): void => controller.abort()
  let isTimeUp = false
  const timer = setTimeout(() => {
    isTimeUp = true
    controller.abort()
  }, milliseconds)
  caller.addEventListener('abort', onAbort, { once: true })
  try {
    return await work(controller.signal)
  } catch (error) {
    if (caller.aborted) throw abortError(caller)
    throw isTimeUp ? timeUp() : error
  } finally {
    clearTimeout(timer)
    caller.removeEventListener('abort', onAbort)
    controller.abort()
  }
}

/** The signal's own reason; an `AbortError` in its place when the reason is not an `Error`. */
function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException('The search was aborted', 'AbortError')
}
