import { RunFailure } from '../failures/run-failure.ts'
import type { Log } from '../log/log.ts'
import type { RunEvent } from '../run/events.ts'
import { NEAR } from '../run/limits.ts'
import type { Ledger } from './ledger.ts'

export type DayCost = ReturnType<typeof dayCost>

/**
 * What the model calls of all runs have cost today, by UTC. Once that reaches the limit, no model call begins until tomorrow. Those
 * under way end, and count.
 *
 * @param limitUsd US dollars
 * @param ledger through which replicas add up; absent: each process counts for itself
 */
export function dayCost(limitUsd: number, log: Log, ledger: Ledger | undefined) {
  let day = ''
  let usd = 0
  /** Share of the limit of which the log has told. */
  let told = 0

  /** Forgets yesterday. @returns the date */
  function today(): string {
    const date = new Date().toISOString().slice(0, 10)
    if (date !== day) [day, usd, told] = [date, 0, 0]
    return date
  }

  /** A ledger that was away, or has lost its data, knows less. */
  function know(known: number): void {
    usd = Math.max(usd, known)
    const share = [1, NEAR].find(share => usd >= share * limitUsd) ?? 0
    if (share <= told) return
    told = share
    const fields = { day, cost_usd: Number(usd.toPrecision(12)), limit_usd: limitUsd }
    if (share === 1) log.error(fields, 'the cost of the day has reached its limit')
    else log.warn(fields, 'the cost of the day is near its limit')
  }

  /** @param spent `null`: nobody knows */
  async function add(spent: number | null): Promise<void> {
    const date = today()
    know(usd + (spent ?? 0))
    const shared = await ledger?.spend?.(date, spent ?? 0)
    if (shared !== undefined && date === today()) know(shared)
  }

  return {
    record(event: RunEvent): void {
      if (event.type === 'model_finished' && !event.data.replayed) void add(event.data.cost_usd)
      if (event.type === 'model_failed') void add(event.data.cost_usd)
    },
    /** Learns what other replicas have spent. Resolves soon, whatever happens to the ledger. */
    refresh: () => add(0),
    /** Why no model call may begin, if none may. */
    get refusal(): RunFailure | undefined {
      today()
      if (usd < limitUsd) return undefined
      const next = 'the next day begins at 00:00 UTC'
      return new RunFailure('max_day_cost', `the agent's limit of $${limitUsd} for a day is used up; ${next}`)
    },
  }
}
