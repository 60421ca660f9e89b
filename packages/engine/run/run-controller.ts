import type { RunFailure } from '../failures/run-failure.ts'
import { loadTokenizer } from './tokens.ts'

/** Aborts a run, as an `AbortController` does: at the hard deadline, on the caller's hang-up, or when a budget is spent. */
export class RunController implements Disposable {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #aborted = Promise.withResolvers<never>()
  readonly #timers: readonly NodeJS.Timeout[]
  readonly #caller: AbortSignal | undefined
  readonly #hangUp = () => this.abort(this.#caller?.reason)

  /**
   * @param timeLeftMs milliseconds to the hard deadline
   * @param overtime creates the failure that ends the run then
   * @param caller aborts with a `RunFailure` once nobody waits for the run; optional
   */
  constructor(timeLeftMs: number, overtime: () => RunFailure, caller?: AbortSignal) {
    this.signal = this.#controller.signal
    this.#caller = caller
    this.#aborted.promise.catch(() => undefined)
    // Not AbortSignal.any: Node holds on to a combined signal with listeners, and so to the whole run, until it aborts.
    if (caller?.aborted) this.#hangUp()
    else caller?.addEventListener('abort', this.#hangUp, { once: true })
    this.#timers = [
      setTimeout(() => this.abort(overtime()), Math.max(0, timeLeftMs)),
      // Counting the tokens of a timed-out run needs the tokenizer, so load it in time.
      setTimeout(() => void loadTokenizer(), Math.max(0, timeLeftMs / 2)),
    ]
    for (const timer of this.#timers) timer.unref()
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
    this.#caller?.removeEventListener('abort', this.#hangUp)
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
