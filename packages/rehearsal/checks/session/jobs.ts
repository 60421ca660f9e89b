/** Jobs shared by several checks. Each runs once, on demand or in advance, a few at a time. */
export class Jobs<Item, Result> {
  readonly #items: readonly Item[]
  readonly #job: (item: Item) => Promise<Result>
  readonly #begun = new Map<Item, Promise<Result>>()
  #ahead: Promise<unknown> | undefined

  constructor(items: readonly Item[], job: (item: Item) => Promise<Result>) {
    this.#items = items
    this.#job = job
  }

  get(item: Item): Promise<Result> {
    const known = this.#begun.get(item)
    if (known) return known
    const result = this.#job(item)
    // Whoever awaits the job gets the error.
    result.catch(() => {})
    this.#begun.set(item, result)
    return result
  }

  /** Enters what was done elsewhere, unless the job has started. */
  put(item: Item, result: Promise<Result>): void {
    if (!this.#begun.has(item)) this.#begun.set(item, result)
  }

  /** Starts all jobs that have not started yet. */
  goAhead(workers: number): void {
    if (this.#ahead) return
    const items = this.#items.values()
    const work = async () => {
      for (const item of items) await this.get(item).catch(() => {})
    }
    this.#ahead = Promise.all(Array.from({ length: workers }, work))
  }

  /** Resolves when all that have started, or were to start in advance, have ended. */
  async rest(): Promise<void> {
    await this.#ahead
    await Promise.allSettled(this.#begun.values())
  }
}
