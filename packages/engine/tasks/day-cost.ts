import { RunFailure } from '../failures/run-failure.ts'
import type { Log } from '../log/log.ts'
import type { RunEvent } from '../run/events.ts'
import { NEAR } from '../run/limits.ts'
import type { Ledger } from './ledger.ts'

interface DayCostOptions {
  /** US dollars. */
  readonly limitUsd: number
  readonly log: Log
  /** Through which replicas add up; absent: each process counts for itself. */
  readonly ledger: Ledger | undefined
}

/**
 * What the model calls of all runs have cost today, by UTC. Once that reaches the limit, no model call begins until tomorrow. Those
 * under way end, and count.
 */
export class DayCost {
  readonly #options: DayCostOptions
  #day = ''
  #usd = 0
  /** Share of the limit of which the log has told. */
  #told = 0

  constructor(options: DayCostOptions) {
    this.#options = options
  }

  record(event: RunEvent): void {
    if (event.type === 'model_finished' && !event.data.replayed) void this.#add(event.data.cost_usd)
    if (event.type === 'model_failed') void this.#add(event.data.cost_usd)
  }

  /** Learns what other replicas have spent. Resolves soon, whatever happens to the ledger. */
  async refresh(): Promise<void> {
    await this.#add(0)
  }

  /** Why no model call may begin, if none may. */
  get refusal(): RunFailure | undefined {
    const { limitUsd } = this.#options
    this.#today()
    if (this.#usd < limitUsd) return undefined
    const next = 'the next day begins at 00:00 UTC'
    return new RunFailure('max_day_cost', `the agent's limit of $${limitUsd} for a day is used up; ${next}`)
  }

  /** @param usd `null`: nobody knows */
  async #add(usd: number | null): Promise<void> {
    const day = this.#today()
    this.#know(this.#usd + (usd ?? 0))
    const shared = await this.#options.ledger?.spend?.(day, usd ?? 0)
    if (shared !== undefined && day === this.#today()) this.#know(shared)
  }

  /** A ledger that was away, or has lost its data, knows less. */
  #know(usd: number): void {
    const { limitUsd, log } = this.#options
    this.#usd = Math.max(this.#usd, usd)
    const share = [1, NEAR].find(share => this.#usd >= share * limitUsd) ?? 0
    if (share <= this.#told) return
    this.#told = share
    const fields = { day: this.#day, cost_usd: Number(this.#usd.toPrecision(12)), limit_usd: limitUsd }
    if (share === 1) log.error(fields, 'the cost of the day has reached its limit')
    else log.warn(fields, 'the cost of the day is near its limit')
  }

  /** Forgets yesterday. @returns the date */
  #today(): string {
    const day = new Date().toISOString().slice(0, 10)
    if (day !== this.#day) [this.#day, this.#usd, this.#told] = [day, 0, 0]
    return day
  }
}
