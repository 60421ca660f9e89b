import { setTimeout as sleep } from 'node:timers/promises'
import { runTask } from '../client.ts'
import { type Arena, type Contestant, forEach, type PerContestant } from '../contestants.ts'

/** Tasks of 4,000 characters without tools. */
const TASK = 'Summarise the following. '.padEnd(4000, 'Lorem ipsum dolor sit amet. ')

/** In MB, as the kernel counts it. */
export interface Memory {
  readonly runs: number
  /** While that many runs wait for the model. */
  readonly held: number
  /** At its highest, once they have all been answered together. */
  readonly peak: number
}

/** Memory of a fresh server with so many runs at work at once, held by a model that does not answer, then answered together. */
export async function measureMemory(
  arena: Arena,
  numbers: readonly number[],
): Promise<PerContestant<readonly Memory[]>> {
  return await forEach(async name => {
    const rows: Memory[] = []
    for (const runs of numbers) rows.push(await memoryOf(arena, name, runs))
    return rows
  })
}

async function memoryOf(arena: Arena, name: Contestant, runs: number): Promise<Memory> {
  await using server = await arena.start(name)
  await arena.conduct({ isHeld: true, rounds: 0 })
  const replies = Array.from({ length: runs }, () => runTask(server.port, TASK, 'own'))
  while ((await arena.received()).held < runs) await sleep(20)
  const held = server.memory('VmRSS')
  await arena.conduct({ rounds: 0 })
  await Promise.all(replies)
  return { runs, held, peak: server.memory('VmHWM') }
}

/** MB of each run at work: what the last number of runs takes beyond the first. */
export function memoryPerRun(rows: readonly Memory[]): number {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return Number.NaN
  return (last.held - first.held) / (last.runs - first.runs)
}
