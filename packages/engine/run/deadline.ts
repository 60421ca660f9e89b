import { addAbortListener } from 'node:events'
import { RunFailure } from '../failures/run-failure.ts'
import { loadTokenizer } from './count-tokens.ts'
import { describeLimit, type Limits } from './limits.ts'

/** Why a run ends at its hard deadline. */
export function hardDeadlineReached(limits: Limits): RunFailure {
  return new RunFailure('deadline', `${describeLimit('deadline', limits)} was reached`)
}

/** Aborts a run, as an `AbortController` does: at the hard deadline, on the caller's hang-up, or when a budget is spent. */
export class RunController implements Disposable {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #aborted = Promise.withResolvers<never>()
  /** Rejects with the reason when the run ends. */
  readonly aborted = this.#aborted.promise
  readonly #hangUp: Disposable | undefined
  /** They do not keep the process alive. */
  readonly #timers: readonly NodeJS.Timeout[]

  /**
   * @param timeLeftMs milliseconds to the hard deadline; below 0: it ends at once
   * @param timeoutError creates the failure that ends the run then
   * @param caller aborts with a `RunFailure` when the last caller hangs up, or the run must end early for another reason; optional
   */
  constructor(timeLeftMs: number, timeoutError: () => RunFailure, caller?: AbortSignal) {
    this.signal = this.#controller.signal
    this.aborted.catch(() => undefined)
    const hangUp = () => this.abort(caller?.reason)
    // Not AbortSignal.any: Node holds on to a combined signal with listeners, and so to the whole run, until it aborts.
    if (caller?.aborted) hangUp()
    else this.#hangUp = caller && addAbortListener(caller, hangUp)
    const end = () => this.abort(timeoutError())
    this.#timers = [
      setTimeout(end, Math.max(0, timeLeftMs)).unref(),
      // Counting the tokens of a timed-out run needs the tokenizer, so load it in time.
      setTimeout(() => void loadTokenizer(), Math.max(0, timeLeftMs / 2)).unref(),
    ]
  }

  /** Ends the run; the first reason wins. */
  abort(reason: RunFailure): void {
    this.#aborted.reject(reason)
    this.#controller.abort(reason)
  }

  [Symbol.dispose](): void {
    this.#hangUp?.[Symbol.dispose]()
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
