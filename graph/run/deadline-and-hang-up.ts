import type { RunFailure } from './failure.ts'
import { loadTokenizer } from './tokens.ts'

/** The end of one run, as one signal: the hard deadline, the caller's hang-up, a budget that is used up. */
export class EndOfRun implements Disposable {
  readonly signal: AbortSignal
  /** Rejects with the reason when the run ends. */
  readonly reached: Promise<never>
  readonly #controller = new AbortController()
  readonly #timers: readonly NodeJS.Timeout[]
  readonly #over = new AbortController()

  /**
   * @param timeLeftMs milliseconds to the hard deadline
   * @param overtime what ends the run then
   * @param caller aborts with a `RunFailure` when nobody waits for the run any more; optional
   */
  constructor(timeLeftMs: number, overtime: () => RunFailure, caller?: AbortSignal) {
    this.signal = this.#controller.signal
    // Not AbortSignal.any: Node keeps a combined signal that is listened to, and the whole run with it, until it aborts.
    const hangUp = () => this.end(caller?.reason)
    if (caller?.aborted) hangUp()
    else caller?.addEventListener('abort', hangUp, { once: true, signal: this.#over.signal })
    this.#timers = [
      setTimeout(() => this.end(overtime()), Math.max(0, timeLeftMs)),
      // A run that times out is counted by the tokenizer: it must be there by then.
      setTimeout(() => void loadTokenizer(), Math.max(0, timeLeftMs / 2)),
    ]
    for (const timer of this.#timers) timer.unref()
    this.reached = new Promise((_, reject) => {
      const end = () => reject(this.signal.reason)
      if (this.signal.aborted) end()
      else this.signal.addEventListener('abort', end, { once: true })
    })
    this.reached.catch(() => undefined)
  }

  end(reason: RunFailure): void {
    this.#controller.abort(reason)
  }

  [Symbol.dispose](): void {
    this.#over.abort()
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
