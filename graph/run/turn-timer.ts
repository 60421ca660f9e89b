const TURNS = 10

/**
 * Goes off after a while, once. Time is counted in turns of a timer: while this process is too busy to listen, nobody else
 * is silent.
 */
export class TurnTimer implements Disposable {
  readonly #timer: NodeJS.Timeout
  #turns = 0

  constructor(ms: number, goOff: () => void) {
    this.#timer = setInterval(() => {
      this.#turns += 1
      if (this.#turns < TURNS) return
      clearInterval(this.#timer)
      goOff()
    }, ms / TURNS)
  }

  /** Restarts the time. */
  restart(): void {
    this.#turns = 0
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
