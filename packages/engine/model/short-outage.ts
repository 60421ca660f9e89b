/** Pauses between the tries of a model that is out: they double from the first to the last, plus some jitter. */
const FIRST_PAUSE_MS = 500
const LAST_PAUSE_MS = 4_000
const JITTER = 0.25
/** As many pauses are as short as the provider says, even 0. */
const SHORT_PAUSES = 3
/** A try that the model has not refused by then is one that it works on. */
const REFUSED_BY_MS = 5_000

/** How a call may wait. */
export interface Wait {
  /** Milliseconds after which it is given up. */
  readonly leftMs: number
  /** Milliseconds that the provider asked it to wait. */
  readonly retryAfterMs?: number | undefined
  /** Aborted while it should not wait. */
  readonly waitSignal: AbortSignal
  /** Ends the call. */
  readonly signal: AbortSignal
}

/** It is time to try again; the call has waited as long as it may; or it may not wait, or no longer. */
export type WaitEnd = 'again' | 'given_up' | 'no_time'

/** The calls that wait until a model is back after a short outage. One of them, the probe, tries it for all. */
export class ShortOutage {
  #probe: object | undefined
  #pauses = 0
  #shortPauses = 0
  /** In `performance.now()` milliseconds. */
  #nextTryAt = 0
  #unlessRefused: NodeJS.Timeout | undefined
  readonly #waiting = new Map<object, Waiting>()

  /**
   * Waits after a try that the model refused.
   *
   * @throws the signal's reason once it aborts
   */
  async wait(call: object, { leftMs, retryAfterMs, waitSignal, signal }: Wait): Promise<WaitEnd> {
    if (waitSignal.aborted || leftMs < Math.max(FIRST_PAUSE_MS, retryAfterMs ?? 0)) {
      this.leave(call)
      return 'no_time'
    }
    this.#probe ??= call
    using waiting = startWait(leftMs, retryAfterMs ?? 0, [waitSignal, signal])
    this.#waiting.set(call, waiting)
    if (this.#probe === call) {
      clearTimeout(this.#unlessRefused)
      this.#nextTryAt = performance.now() + this.#nextPause(retryAfterMs)
      waiting.tryAt(this.#nextTryAt)
    }
    const end = await waiting.end
    this.#waiting.delete(call)
    signal.throwIfAborted()
    if (end === 'no_time') this.leave(call)
    else if (this.#probe === call) this.#unlessRefused = setTimeout(() => this.#pass(), REFUSED_BY_MS)
    return end
  }

  /** The model works on a call: if it is the probe's, the outage is over. */
  serves(call: object): void {
    if (this.#probe === call) this.#pass()
  }

  /** The call is over; if it was the probe, the one that has waited longest takes its place. */
  leave(call: object): void {
    if (this.#probe !== call) return
    clearTimeout(this.#unlessRefused)
    const [next] = this.#waiting
    if (next) {
      this.#probe = next[0]
      next[1].tryAt(this.#nextTryAt)
    } else this.#forget()
  }

  #pass(): void {
    clearTimeout(this.#unlessRefused)
    this.#forget()
    for (const waiting of this.#waiting.values()) waiting.tryAt(0)
  }

  #nextPause(retryAfterMs: number | undefined): number {
    if (retryAfterMs !== undefined && this.#shortPauses < SHORT_PAUSES) {
      this.#shortPauses += 1
      return retryAfterMs
    }
    const pause = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#pauses)
    this.#pauses += 1
    return Math.max(pause * (1 + JITTER * Math.random()), retryAfterMs ?? 0)
  }

  #forget(): void {
    this.#probe = undefined
    this.#pauses = 0
    this.#shortPauses = 0
  }
}

type Waiting = ReturnType<typeof startWait>

/** One call's wait. */
function startWait(leftMs: number, retryAfterMs: number, signals: readonly AbortSignal[]) {
  const { promise: end, resolve } = Promise.withResolvers<WaitEnd>()
  const now = performance.now()
  const stop = () => resolve('no_time')
  let timer = setTimeout(() => resolve('given_up'), leftMs)
  // Not AbortSignal.any, which would keep every call's signal as long as the service lives.
  for (const signal of signals) signal.addEventListener('abort', stop)
  if (signals.some(({ aborted }) => aborted)) stop()
  return {
    end,
    /** Ends the wait then, no sooner than the provider asked, and no later than it may last. */
    tryAt(moment: number): void {
      clearTimeout(timer)
      const at = Math.min(Math.max(moment, now + retryAfterMs), now + leftMs)
      timer = setTimeout(() => resolve('again'), Math.max(0, at - performance.now()))
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', stop)
    },
  }
}
