import type { Contestant, PerContestant } from './contestants.ts'
import type { Burst } from './measures/burst.ts'
import type { Growth } from './measures/growth.ts'
import { type Memory, memoryPerRun } from './measures/memory.ts'
import type { RunCost } from './measures/run-cost.ts'
import type { Start, Started } from './measures/start.ts'
import { figure } from './table.ts'

export interface Measured {
  readonly runCost: PerContestant<RunCost>
  readonly burst: PerContestant<Burst>
  readonly start: Record<Started, Start>
  readonly memory: PerContestant<readonly Memory[]>
  /** Absent in the short form. */
  readonly rounds?: readonly Growth[] | undefined
  /** Start of `langgraphjs dev` in milliseconds; absent in the short form. */
  readonly studioStartMs?: number | undefined
}

/** The targets as rows of a table: name, measured value, target, and whether it is met. */
export function targets(measured: Measured): readonly (readonly string[])[] {
  const { runCost, burst, start, memory, rounds, studioStartMs } = measured
  const each = { ours: memoryPerRun(memory.ours), prebuilt: memoryPerRun(memory.prebuilt) }
  const ratios = (what: string, of: (name: Contestant) => number, bound: number) => [
    atMost(`${what} / prebuilt`, of('ours') / of('prebuilt'), bound),
    reported(`${what} / prebuilt with equal prompts`, of('ours') / of('prebuilt-equal')),
  ]
  const rows = [
    ...ratios('CPU time of a run', name => runCost[name].cpuMs, 0.95),
    ...ratios('Latency of a run alone', name => runCost[name].latencyMs, 0.95),
    ...ratios('500 at once: median of a run', name => burst[name].runP50, 0.8),
    atMost('500 at once: p99 of /health in ms', burst.ours.healthP99, 100),
    reported('Memory of a run in progress / prebuilt', each.ours / each.prebuilt),
    reported('Start to /health / bare node:http', start.ours.ms / start.bare.ms),
  ]
  if (rounds) rows.push(atMost('CPU time of a round, at 18 / at 4', growthOfRounds(rounds), 1.5))
  if (studioStartMs)
    rows.push(atMost('Start to /health / langgraphjs dev', start.ours.ms / studioStartMs, 0.1))
  return rows
}

/** How much more a round costs at 18 rounds than at 4, apart from the bytes that every loop must send. */
function growthOfRounds(rounds: readonly Growth[]): number {
  const perRound = (wanted: number) => {
    const row = rounds.find(({ at }) => at === wanted)
    return row ? (row.cpuMs.ours - row.cpuMs.floor) / wanted : Number.NaN
  }
  return perRound(18) / perRound(4)
}

function atMost(what: string, value: number, bound: number): readonly string[] {
  return [what, figure(value), `≤ ${figure(bound)}`, value <= bound ? 'yes' : 'no']
}

function reported(what: string, value: number): readonly string[] {
  return [what, figure(value), '', '']
}
