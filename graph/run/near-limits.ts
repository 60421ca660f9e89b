import type { Limits } from './budget.ts'
import type { Meter } from './meter.ts'

/** Share of a limit at which it counts as near. */
const NEAR = 0.8

/** Reports each limit of a run once, when four fifths of it are used. */
export class NearLimits implements Disposable {
  readonly #limits: Limits
  readonly #meter: Meter
  readonly #tell: (limit: keyof Limits, used: number, of: number) => void
  readonly #told = new Set<keyof Limits>()
  readonly #timers: readonly NodeJS.Timeout[]

  /** @param elapsedMs milliseconds since the request arrived; the time limits count from then */
  constructor(
    limits: Limits,
    meter: Meter,
    elapsedMs: number,
    tell: (limit: keyof Limits, used: number, of: number) => void,
  ) {
    this.#limits = limits
    this.#meter = meter
    this.#tell = tell
    this.#timers = (['answerByMs', 'timeoutMs'] as const).map(limit => {
      const moment = limits[limit] * NEAR
      return setTimeout(() => this.#look(limit, moment), Math.max(0, moment - elapsedMs)).unref()
    })
  }

  /** Checks what has been used; call it after each event. */
  look(): void {
    const { steps, inputTokens, outputTokens } = this.#meter
    this.#look('maxSteps', steps)
    this.#look('maxOutputTokens', outputTokens)
    this.#look('maxTotalTokens', inputTokens + outputTokens)
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #look(limit: keyof Limits, used: number): void {
    const of = this.#limits[limit]
    if (of === undefined || used < of * NEAR || this.#told.has(limit)) return
    this.#told.add(limit)
    this.#tell(limit, used, of)
  }
}
