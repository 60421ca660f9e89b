/** What arrives within this time after a part is one part, in milliseconds. */
const INTERVAL_MS = 40

/** Tells when to pass on what has arrived: the first at once, then every 40 ms if there is more, and at the end. */
export class Pace implements Disposable {
  isEnded = false
  #hasArrived = false
  /** Set for some time after a part. */
  #timer: NodeJS.Timeout | undefined
  #proceed = () => {}

  arrive(): void {
    this.#hasArrived = true
    this.#proceedIfDue()
  }

  /** Nothing more will arrive. */
  end(): void {
    this.isEnded = true
    this.#proceedIfDue()
  }

  /** A part is passed on: the next one waits. */
  hold(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#proceedIfDue()
    }, INTERVAL_MS)
  }

  /** Waits until a part is due. @returns whether more may follow */
  async next(): Promise<boolean> {
    if (!this.#isDue)
      await new Promise<void>(resolve => {
        this.#proceed = resolve
      })
    this.#hasArrived = false
    return !this.isEnded
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  get #isDue(): boolean {
    return this.isEnded || (this.#hasArrived && this.#timer === undefined)
  }

  #proceedIfDue(): void {
    if (this.#isDue) this.#proceed()
  }
}
