/** Frees a run's slot for the next one; call it when the run is over. */
export type Release = () => void

/** Limits concurrent runs; a bounded number more wait in order of arrival. */
export class Admission {
  readonly #maxRuns: number
  readonly #maxWaiting: number
  #running = 0
  /** Gives each run that waits its slot, in order of arrival. */
  readonly #queue = new Set<(release: Release) => void>()
  #elsewhere = 0
  #waitSignal = new AbortController()
  #isEnding = false

  /** @param maxRuns concurrent runs @param maxWaiting runs that may wait */
  constructor(maxRuns: number, maxWaiting: number) {
    this.#maxRuns = maxRuns
    this.#maxWaiting = maxWaiting
  }

  /** Whether a new run would be refused. */
  get isFull(): boolean {
    return this.#running + this.#queue.size + this.#elsewhere >= this.#maxRuns + this.#maxWaiting
  }

  /** Aborted while runs wait for a slot, and for good after `endWaits()`. Get it anew for each use. */
  get waitSignal(): AbortSignal {
    const isOver = this.#waitSignal.signal.aborted && this.#queue.size === 0 && !this.#isEnding
    if (isOver) this.#waitSignal = new AbortController()
    return this.#waitSignal.signal
  }

  /** Tells the runs in progress that the service is about to end. */
  endWaits(): void {
    this.#isEnding = true
    this.#waitSignal.abort()
  }

  /** Counts a task that another replica runs, since it may have to run here; returns when the work is done. */
  async countElsewhere(work: Promise<void>): Promise<void> {
    this.#elsewhere += 1
    await work.finally(() => {
      this.#elsewhere -= 1
    })
  }

  /**
   * Waits until the run may start.
   *
   * @returns a function to call when the run is over, or `undefined` if the signal aborted first
   */
  async enter(signal: AbortSignal): Promise<Release | undefined> {
    if (signal.aborted) return undefined
    if (this.#running < this.#maxRuns) return this.#begin()
    return await new Promise(resolve => {
      const leave = () => {
        this.#queue.delete(admit)
        resolve(undefined)
      }
      const admit = (release: Release) => {
        signal.removeEventListener('abort', leave)
        resolve(release)
      }
      this.#queue.add(admit)
      this.#waitSignal.abort()
      signal.addEventListener('abort', leave)
    })
  }

  #begin(): Release {
    this.#running += 1
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#running -= 1
      const [admitNext] = this.#queue
      if (admitNext === undefined) return
      this.#queue.delete(admitNext)
      admitNext(this.#begin())
    }
  }
}
