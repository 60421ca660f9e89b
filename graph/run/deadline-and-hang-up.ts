import type { RunFailure } from './failure.ts'
import { loadTokenizer } from './tokens.ts'

/** The end of one run, as one signal: the hard deadline, the caller's hang-up, a budget that is used up. */
export class EndOfRun implements Disposable {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #reached = Promise.withResolvers<never>()
  readonly #timers: readonly NodeJS.Timeout[]
  readonly #caller: AbortSignal | undefined
  readonly #hangUp = () => this.end(this.#caller?.reason)

  /**
   * @param timeLeftMs milliseconds to the hard deadline
   * @param overtime what ends the run then
   * @param caller aborts with a `RunFailure` when nobody waits for the run any more; optional
   */
  constructor(timeLeftMs: number, overtime: () => RunFailure, caller?: AbortSignal) {
    this.signal = this.#controller.signal
    this.#caller = caller
    this.#reached.promise.catch(() => undefined)
    // Not AbortSignal.any: Node keeps a combined signal that is listened to, and the whole run with it, until it aborts.
    if (caller?.aborted) this.#hangUp()
    else caller?.addEventListener('abort', this.#hangUp, { once: true })
    this.#timers = [
      setTimeout(() => this.end(overtime()), Math.max(0, timeLeftMs)),
      // A run that times out is counted by the tokenizer: it must be there by then.
      setTimeout(() => void loadTokenizer(), Math.max(0, timeLeftMs / 2)),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** Rejects with the reason when the run ends. */
  get reached(): Promise<never> {
    return this.#reached.promise
  }

  /** Ends the run; the first reason stays. */
  end(reason: RunFailure): void {
    this.#reached.reject(reason)
    this.#controller.abort(reason)
  }

  [Symbol.dispose](): void {
    this.#caller?.removeEventListener('abort', this.#hangUp)
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
