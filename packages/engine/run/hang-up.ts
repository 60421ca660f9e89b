import type { RunFailure } from '../failures/run-failure.ts'

/**
 * Passes on to a run that nobody waits for it any more, until it is disposed of. `RunController` aborts the run's own signal
 * then, which every model and tool is given.
 *
 * @param caller aborts with a `RunFailure` when the last caller hangs up, or the run must end early for another reason
 */
export function passOnHangUp(caller: AbortSignal | undefined, end: (reason: RunFailure) => void): Disposable {
  const hangUp = () => end(caller!.reason)
  // Not AbortSignal.any: Node holds on to a combined signal with listeners, and so to the whole run, until it aborts.
  if (caller?.aborted) hangUp()
  else caller?.addEventListener('abort', hangUp)
  return { [Symbol.dispose]: () => caller?.removeEventListener('abort', hangUp) }
}
