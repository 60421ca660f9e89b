import { setTimeout as sleep } from 'node:timers/promises'
import type { Arena } from '../arena.ts'
import { runTask } from '../client.ts'
import type { Measured } from '../statistics.ts'

/** A task of 4,000 characters that needs no tools. */
const TASK = 'Summarise the following. '.padEnd(4000, 'Lorem ipsum dolor sit amet. ')

/** Memory in MB, as counted by the kernel. */
export interface Memory {
  readonly runs: number
  /** While that many runs wait for the model. */
  readonly held: number
  /** The peak, after all have been answered at once. */
  readonly peak: number
}

/** Memory of a fresh server with each number of concurrent runs, first held by a silent model, then answered all at once. */
export async function measureMemory<Name extends string>(
  arena: Arena<Name>,
  numbers: readonly number[],
): Promise<Measured<Name, readonly Memory[]>> {
  return await arena.inTurn(async name => {
    const rows: Memory[] = []
    for (const runs of numbers) rows.push(await memoryOf(arena, name, runs))
    return rows
  })
}

async function memoryOf<Name extends string>(arena: Arena<Name>, name: Name, runs: number): Promise<Memory> {
  await using server = await arena.start(name)
  await arena.conduct({ isHeld: true, rounds: 0 })
  const replies = Array.from({ length: runs }, () => runTask(server.port, TASK, 'own'))
  while ((await arena.received()).held < runs) await sleep(20)
  const held = server.memory('VmRSS')
  await arena.conduct({ rounds: 0 })
  await Promise.all(replies)
  return { runs, held, peak: server.memory('VmHWM') }
}

/** MB per run in progress: the difference between the last and the first row, per run. */
export function memoryPerRun(rows: readonly Memory[]): number {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return Number.NaN
  return (last.held - first.held) / (last.runs - first.runs)
}
