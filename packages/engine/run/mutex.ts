/** Lets calls proceed one at a time, in order of arrival. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Waits for the calls before this one. Returns a function that lets the next one begin. */
  async acquire(): Promise<() => void> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    return resolve
  }
}
