import type { PerContestant } from './contestants.ts'
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

/** What has to hold, each as the row of a table: what it is, what was measured, what was wanted, whether it holds. */
export function targets(measured: Measured): readonly (readonly string[])[] {
  const { runCost, burst, start, memory, rounds, studioStartMs } = measured
  const healthBound = Math.max(100, burst.floor.healthP99)
  const each = { ours: memoryPerRun(memory.ours), prebuilt: memoryPerRun(memory.prebuilt) }
  const rows = [
    atMost('Processor time of a run / prebuilt', runCost.ours.cpuMs / runCost.prebuilt.cpuMs, 0.55),
    atMost(
      'Processor time of a run / openai SDK by hand',
      runCost.ours.cpuMs / runCost['hand-loop'].cpuMs,
      4,
    ),
    atMost('Latency of a run alone / prebuilt', runCost.ours.latencyMs / runCost.prebuilt.latencyMs, 0.55),
    atMost(
      'Latency of a run alone / openai SDK by hand',
      runCost.ours.latencyMs / runCost['hand-loop'].latencyMs,
      2,
    ),
    atMost('500 at once: median of a run / prebuilt', burst.ours.runP50 / burst.prebuilt.runP50, 0.65),
    atMost('500 at once: p99 of /health in ms (100, or the floor)', burst.ours.healthP99, healthBound),
    // The second request quotes the first one's reply, which the SDK's loop sends as it came.
    atMost(
      'Bytes to the model / openai SDK by hand',
      runCost.ours.promptBytes / runCost['hand-loop'].promptBytes,
      1,
    ),
    atMost('Memory of a run at work / prebuilt', each.ours / each.prebuilt, 0.6),
    atMost('Start to /health / bare node:http', start.ours.ms / start.bare.ms, 4),
  ]
  if (rounds) rows.push(atMost('Processor time of a round, at 18 / at 4', growthOfRounds(rounds), 1.5))
  if (studioStartMs)
    rows.push(atMost('Start to /health / langgraphjs dev', start.ours.ms / studioStartMs, 0.1))
  return rows
}

/** How much more a round costs at 18 than at 4 rounds, beyond what the bytes cost that every loop must send. */
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
