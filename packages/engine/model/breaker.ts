/** Runs lost in a row that open the breaker. */
const LOST_IN_A_ROW = 3
/** While it is open, one call in this time may show that the model is back. */
const PROBE_EVERY_MS = 5_000

/**
 * A circuit breaker. While it is open, a model is asked after the others instead of before them, so that runs reach a
 * model that works sooner; it keeps no run from the only model there is.
 */
export class Breaker {
  #lost = 0
  /** In `performance.now()` milliseconds. */
  #nextProbeAt = 0

  /** Whether the model should be asked in its turn. While the breaker is open, one call per interval probes. */
  admits(): boolean {
    if (this.#lost < LOST_IN_A_ROW) return true
    if (performance.now() < this.#nextProbeAt) return false
    this.#nextProbeAt = performance.now() + PROBE_EVERY_MS
    return true
  }

  /** The model answers. */
  recordSuccess(): void {
    this.#lost = 0
  }

  /** A run was lost to something that any other run would have met too. */
  recordFailure(): void {
    this.#lost += 1
    if (this.#lost === LOST_IN_A_ROW) this.#nextProbeAt = performance.now() + PROBE_EVERY_MS
  }
}
