import { addAbortListener } from 'node:events'

/** Calls `cancel` when there is a reason to, until it is disposed of; `undefined`: there will be none. */
export type CancelSource = (cancel: (reason: Error) => void) => Disposable | undefined

/**
 * Runs `work` until it settles or one of the sources cancels it; then throws the reason at once. Does not wait for work
 * that ignores its signal, a new one that is always aborted by the time this returns. Disposes of the sources.
 */
export async function withCancellation<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  ...sources: readonly CancelSource[]
): Promise<Result> {
  const controller = new AbortController()
  const cancelled = Promise.withResolvers<never>()
  const cancel = (reason: Error) => {
    // First, so that this is thrown and not what the work makes of its aborted signal.
    cancelled.reject(reason)
    controller.abort()
  }
  const started = sources.map(start => start(cancel))
  try {
    return await Promise.race([cancelled.promise, work(controller.signal)])
  } finally {
    for (const source of started) source?.[Symbol.dispose]()
    controller.abort(OVER)
  }
}

/** Cancels with the signal's reason when it aborts. */
export function abortOf(signal: AbortSignal | undefined): CancelSource {
  return cancel => signal && addAbortListener(signal, () => cancel(abortError(signal)))
}

/** The signal's reason, or an `AbortError` if that is not an `Error`. */
export function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException('The work was aborted', 'AbortError')
}

/** Shared: aborting without a reason would create an error with a stack trace each time. */
const OVER = new Error('the work is over')
