import { runTasks } from '../client.ts'
import { type Arena, CONTESTANTS, type Contestant, forEach, type PerContestant } from '../contestants.ts'
import { median } from '../statistics.ts'
import { type Burst, burstOf, LATENCY_MS } from './burst.ts'

/** The cost of a run as one of its properties grows. */
export interface Growth {
  readonly at: number
  /** CPU time of a run, in milliseconds. */
  readonly cpuMs: PerContestant<number>
}

const AT_ONCE = 8
const BATCHES = 3

/** By the number of rounds of tool calls. */
export async function measureRounds(arena: Arena, numbers: readonly number[]): Promise<readonly Growth[]> {
  return await grow(arena, numbers, async rounds => {
    await arena.conduct({ rounds })
    return { runs: Math.ceil(400 / (rounds + 1)), input: undefined }
  })
}

/** By the size of the task's text, in bytes. */
export async function measureInputs(arena: Arena, sizes: readonly number[]): Promise<readonly Growth[]> {
  await arena.conduct({})
  return await grow(arena, sizes, async size => {
    return {
      runs: size > 200_000 ? 30 : 100,
      input: 'Lorem ipsum dolor sit amet. '.repeat(size / 28 + 1).slice(0, size),
    }
  })
}

async function grow(
  arena: Arena,
  values: readonly number[],
  prepare: (value: number) => Promise<{ runs: number; input: string | undefined }>,
): Promise<readonly Growth[]> {
  await using servers = await arena.startAll()
  for (const name of CONTESTANTS) await runTasks(servers[name].port, 300, AT_ONCE)
  const rows: Growth[] = []
  for (const at of values) {
    const { runs, input } = await prepare(at)
    const samples = await forEach((): number[] => [])
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await forEach(async name => {
        const before = servers[name].cpuMs
        await runTasks(servers[name].port, runs, AT_ONCE, input)
        samples[name].push((servers[name].cpuMs - before) / runs)
      })
    }
    rows.push({ at, cpuMs: await forEach(name => median(samples[name])) })
  }
  return rows
}

/** Bursts of each given size, on a fresh but warmed-up server. */
export async function measureCrowds(
  arena: Arena,
  numbers: readonly number[],
): Promise<readonly { readonly runs: number; readonly bursts: PerContestant<Burst> }[]> {
  const rows = []
  for (const runs of numbers) {
    const bursts = await forEach(async (name: Contestant) => {
      await using server = await arena.start(name)
      await arena.conduct({})
      await runTasks(server.port, 300, AT_ONCE)
      await arena.conduct({ latencyMs: LATENCY_MS })
      return await burstOf(server, runs)
    })
    rows.push({ runs, bursts })
  }
  return rows
}
