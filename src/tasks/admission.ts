/** Lets the next run begin; call it when the run is over. */
export type Release = () => void

interface Waiting {
  readonly admit: (release: Release) => void
}

/** Caps the runs at work at once; a few more wait their turn, in the order they came. */
export class Admission {
  readonly #maxRuns: number
  readonly #maxWaiting: number
  #running = 0
  readonly #queue = new Set<Waiting>()

  /** @param maxRuns runs at work at once @param maxWaiting runs that may wait */
  constructor(maxRuns: number, maxWaiting: number) {
    this.#maxRuns = maxRuns
    this.#maxWaiting = maxWaiting
  }

  /** Whether a run that comes now would be turned away. */
  get isFull(): boolean {
    return this.#running >= this.#maxRuns && this.#queue.size >= this.#maxWaiting
  }

  /**
   * Waits until the run may begin.
   *
   * @returns what to call at its end, or `undefined` when the signal aborted first
   */
  async enter(signal: AbortSignal): Promise<Release | undefined> {
    if (signal.aborted) return undefined
    if (this.#running < this.#maxRuns) return this.#begin()
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

  #begin(): Release {
    this.#running += 1
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#running -= 1
      const [next] = this.#queue
      if (next === undefined) return
      this.#queue.delete(next)
      next.admit(this.#begin())
    }
  }
}
