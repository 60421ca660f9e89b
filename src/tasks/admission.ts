/** A place at work; call it once to give the place back. */
export type Release = () => void

interface Waiting {
  readonly admit: (release: Release) => void
}

/** Caps the runs at work at once; a few more wait their turn, in the order they came. */
export class Admission {
  readonly #places: number
  readonly #seats: number
  #taken = 0
  readonly #queue = new Set<Waiting>()

  /** @param places runs at work at once @param seats runs that may wait */
  constructor(places: number, seats: number) {
    this.#places = places
    this.#seats = seats
  }

  /** Whether a run that comes now would be turned away. */
  get isFull(): boolean {
    return this.#taken >= this.#places && this.#queue.size >= this.#seats
  }

  /**
   * Waits for a place.
   *
   * @returns the place, or `undefined` when the signal aborted first
   */
  async enter(signal: AbortSignal): Promise<Release | undefined> {
    if (signal.aborted) return undefined
    if (this.#taken < this.#places) return this.#take()
    return await new Promise(resolve => {
      const leave = () => {
        this.#queue.delete(waiting)
        resolve(undefined)
      }
      const waiting: Waiting = {
        admit: release => {
          signal.removeEventListener('abort', leave)
          resolve(release)
        },
      }
      this.#queue.add(waiting)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #take(): Release {
    this.#taken += 1
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#taken -= 1
      const [next] = this.#queue
      if (next === undefined) return
      this.#queue.delete(next)
      next.admit(this.#take())
    }
  }
}
