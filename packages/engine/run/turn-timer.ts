const TURNS = 10

/**
 * A one-shot timer that counts turns of an interval, not elapsed time, so that a process too busy to listen does not
 * consider others silent.
 */
export class TurnTimer implements Disposable {
  readonly #timer: NodeJS.Timeout
  #turns = 0
  #isPaused = false

  constructor(ms: number, goOff: () => void) {
    this.#timer = setInterval(() => {
      if (this.#isPaused) return
      this.#turns += 1
      if (this.#turns < TURNS) return
      clearInterval(this.#timer)
      goOff()
    }, ms / TURNS)
  }

  restart(): void {
    this.#turns = 0
    this.#isPaused = false
  }

  pause(): void {
    this.#isPaused = true
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
