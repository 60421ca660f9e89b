/** Time as the platform sees it: the machine's, or a test's own. */
export interface Clock {
  /** Milliseconds on a clock that never steps back. */
  monotonic(): number
  /** Time of day. */
  date(): Date
  /** Calls once, so many milliseconds from now; returns what calls it off. */
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
