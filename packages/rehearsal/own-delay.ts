/** How often to look, in milliseconds. */
const STEP_MS = 20
/**
 * Share of the time without a processor above which being late says nothing about an agent. On an idle core it is 0.06,
 * beside one busy loop 0.15, beside four 0.3, and beside 35 it is 0.9.
 */
const TOO_BUSY = 0.5

/** Why something late is not held against an agent. */
export type Busy = NonNullable<ReturnType<typeof busyFor>>

/**
 * The time in which this process could not run although it had something to do, because others had the processors: its
 * event loop was late, and it had not used that time itself. A busy agent has one processor at most, a busy machine none.
 */
export class OwnDelay {
  #watchers = 0
  #timer: NodeJS.Timeout | undefined
  #waitedMs = 0
  #lastAt = 0
  #lastUsedMs = 0

  /**
   * Does some work, and says whether the machine was too busy for it. The work may ask how it is so far.
   *
   * @example
   * const { result, busy } = await delay.during(() => client.health(options))
   */
  async during<Result>(
    work: (isBusy: () => Busy | undefined) => Promise<Result>,
  ): Promise<{ result: Result; busy: Busy | undefined }> {
    if (this.#watchers === 0) this.#begin()
    this.#watchers += 1
    const [startedAt, waitedMs] = [performance.now(), this.#waitedMs]
    const isBusy = () => {
      this.#look()
      return busyFor((this.#waitedMs - waitedMs) / Math.max(STEP_MS, performance.now() - startedAt))
    }
    try {
      const result = await work(isBusy)
      return { result, busy: isBusy() }
    } finally {
      this.#watchers -= 1
      if (this.#watchers === 0) clearInterval(this.#timer)
    }
  }

  #begin(): void {
    this.#lastAt = performance.now()
    this.#lastUsedMs = usedMs()
    this.#timer = setInterval(() => this.#look(), STEP_MS)
    this.#timer.unref()
  }

  #look(): void {
    const [now, used] = [performance.now(), usedMs()]
    this.#waitedMs += Math.max(0, now - this.#lastAt - STEP_MS - (used - this.#lastUsedMs))
    this.#lastAt = now
    this.#lastUsedMs = used
  }
}

/** @param share of the time, without a processor */
function busyFor(share: number) {
  if (share < TOO_BUSY) return undefined
  const percent = Math.round(100 * share)
  const why = `this machine was too busy: these checks waited ${percent}% of the time for a processor`
  return { share, why }
}

/** Processor time of this process. */
function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
