import { addAbortListener } from 'node:events'
import type { RunFailure } from '../failures/run-failure.ts'
import { startHardDeadline } from './hard-deadline.ts'

/** Aborts a run, as an `AbortController` does: at the hard deadline, on the caller's hang-up, or when a budget is spent. */
export class RunController implements Disposable {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #aborted = Promise.withResolvers<never>()
  readonly #hangUp: Disposable | undefined
  readonly #hardDeadline: Disposable

  /**
   * @param timeLeftMs milliseconds to the hard deadline
   * @param timeoutError creates the failure that ends the run then
   * @param caller aborts with a `RunFailure` when the last caller hangs up, or the run must end early for another reason; optional
   */
  constructor(timeLeftMs: number, timeoutError: () => RunFailure, caller?: AbortSignal) {
    this.signal = this.#controller.signal
    this.#aborted.promise.catch(() => undefined)
    const hangUp = () => this.abort(caller?.reason)
    // Not AbortSignal.any: Node holds on to a combined signal with listeners, and so to the whole run, until it aborts.
    if (caller?.aborted) hangUp()
    else this.#hangUp = caller && addAbortListener(caller, hangUp)
    this.#hardDeadline = startHardDeadline(timeLeftMs, () => this.abort(timeoutError()))
  }

  /** Rejects with the reason when the run ends. */
  get aborted(): Promise<never> {
    return this.#aborted.promise
  }

  /** Ends the run; the first reason wins. */
  abort(reason: RunFailure): void {
    this.#aborted.reject(reason)
    this.#controller.abort(reason)
  }

  [Symbol.dispose](): void {
    this.#hangUp?.[Symbol.dispose]()
    this.#hardDeadline[Symbol.dispose]()
  }
}
