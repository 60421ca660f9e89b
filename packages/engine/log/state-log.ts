/** A state is logged at most once in this time, in milliseconds. */
const QUIET_MS = 10_000

interface Seen {
  /** How often it came since it was last written. */
  count: number
  isQuiet: boolean
}

/** Gets the state, how often it came since it was last written, and the fields of the last time. */
type Write = (state: string, count: number, fields: object) => void

/** Reports changes of state: at once, or if the same state comes again too soon, later and once for all of them. */
export class StateLog {
  readonly #states = new Map<string, Seen>()
  readonly #write: Write
  #current = { state: '', fields: {} }

  constructor(write: Write) {
    this.#write = write
  }

  /**
   * @param state one of a few
   * @param fields of the log line
   */
  change(state: string, fields: object = {}): void {
    const seen = this.#states.get(state) ?? { count: 0, isQuiet: false }
    this.#states.set(state, seen)
    this.#current = { state, fields }
    seen.count += 1
    if (!seen.isQuiet) this.#report(state, seen)
  }

  #report(state: string, seen: Seen): void {
    this.#write(state, seen.count, this.#current.fields)
    seen.count = 0
    seen.isQuiet = true
    setTimeout(() => {
      seen.isQuiet = false
      if (seen.count > 0 && this.#current.state === state) this.#report(state, seen)
    }, QUIET_MS).unref()
  }
}
