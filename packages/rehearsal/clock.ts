/** The platform's clock: the machine's, or a test's. */
export interface Clock {
  /** Milliseconds by a monotonic clock. */
  monotonic(): number
  /** Time of day. */
  date(): Date
  /** Calls back once after this many milliseconds; returns a function that cancels it. */
  after(milliseconds: number, call: () => void): () => void
}

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  date: () => new Date(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds)
    return () => clearTimeout(timer)
  },
}
