/** Consecutive lost runs that open the breaker. */
const LOST_IN_A_ROW = 3
const OPEN_MS = 30_000

export type BreakerState = 'closed' | 'open' | 'half_open'

/** A circuit breaker: opens for 30 s after three losses in a row, then lets one call try again. */
export class Breaker {
  readonly #now: () => number
  #lost = 0
  #openUntil = 0
  #isTried = false

  /** @param now monotonic, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get state(): BreakerState {
    if (this.#lost < LOST_IN_A_ROW) return 'closed'
    return this.#now() < this.#openUntil ? 'open' : 'half_open'
  }

  /** Whether a call may go ahead now. After each `true`, call `succeeded`, `failed` or `left`. */
  admits(): boolean {
    if (this.state === 'closed') return true
    if (this.state === 'open' || this.#isTried) return false
    this.#isTried = true
    return true
  }

  succeeded(): void {
    this.#lost = 0
    this.#isTried = false
  }

  failed(): void {
    this.#lost += 1
    this.#isTried = false
    if (this.#lost >= LOST_IN_A_ROW) this.#openUntil = this.#now() + OPEN_MS
  }

  /** The call ended without showing whether the model works, for example by a hang-up. */
  left(): void {
    this.#isTried = false
  }
}
