/** A state is logged at most once in this time, in milliseconds. */
const QUIET_MS = 10_000

interface Seen {
  /** How often it came since it was last written. */
  count: number
  isQuiet: boolean
}

/** Reports changes of state: at once, or if the same state comes again too soon, later and once for all of them. */
export class StateLog {
  readonly #states = new Map<string, Seen>()
  readonly #write: (state: string, count: number) => void
  #current: string | undefined

  /** @param write gets the state, and how often it came since it was last written */
  constructor(write: (state: string, count: number) => void) {
    this.#write = write
  }

  /** @param state one of a few */
  change(state: string): void {
    const seen = this.#states.get(state) ?? { count: 0, isQuiet: false }
    this.#states.set(state, seen)
    this.#current = state
    seen.count += 1
    if (!seen.isQuiet) this.#report(state, seen)
  }

  #report(state: string, seen: Seen): void {
    this.#write(state, seen.count)
    seen.count = 0
    seen.isQuiet = true
    setTimeout(() => {
      seen.isQuiet = false
      if (seen.count > 0 && this.#current === state) this.#report(state, seen)
    }, QUIET_MS).unref()
  }
}
