/** Jobs shared by several checks. Each runs once, on demand or in advance, a few at a time. */
export class Jobs<Item, Result> {
  readonly #items: readonly Item[]
  readonly #job: (item: Item) => Promise<Result>
  readonly #begun = new Map<Item, Promise<Result>>()
  #isAhead = false

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

  /** Starts all jobs that have not started yet. */
  goAhead(workers: number): void {
    if (this.#isAhead) return
    this.#isAhead = true
    const items = this.#items.values()
    const work = async () => {
      for (const item of items) await this.get(item).catch(() => {})
    }
    for (let worker = 0; worker < workers; worker += 1) void work()
  }
}
