import type { RunEvent } from './events.ts'

/** Where a run's time goes, from its events. Moments by `performance.now()`. */
export class Times {
  /** When it had its slot. */
  begunAt: number | undefined
  /** Model requests beyond the first of each call. */
  retries = 0
  readonly inModels = new CallTimes()
  readonly inTools = new CallTimes()

  record({ type, at, data }: RunEvent): void {
    switch (type) {
      case 'run_started':
        this.begunAt = at
        break
      case 'model_started':
        this.inModels.began(data.step, at)
        if (data.attempt > 1) this.retries += 1
        break
      case 'model_finished':
      case 'model_failed':
        this.inModels.ended(data.step, at)
        break
      case 'tool_started':
        this.inTools.began(data.step, at)
        break
      case 'tool_finished':
        this.inTools.ended(data.step, at)
    }
  }
}

/** How long calls took together. While several run at once, the time counts once. */
class CallTimes {
  readonly #spans = new Map<number, { readonly from: number; to: number }>()

  /** @param step the same for all tries of a call, so that the waits between them count as well */
  began(step: number, at: number): void {
    if (!this.#spans.has(step)) this.#spans.set(step, { from: at, to: at })
  }

  ended(step: number, at: number): void {
    const span = this.#spans.get(step)
    if (span) span.to = at
  }

  get totalMs(): number {
    let total = 0
    let until = Number.NEGATIVE_INFINITY
    for (const { from, to } of [...this.#spans.values()].sort((one, other) => one.from - other.from)) {
      total += Math.max(0, to - Math.max(from, until))
      until = Math.max(until, to)
    }
    return total
  }
}
