import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Arena } from '../arena.ts'
import { runTask } from '../client.ts'
import type { Program } from '../program.ts'
import { type Measured, median, quantile } from '../statistics.ts'

/** Latency of the model. Each run calls it twice, so no run can take less than twice this time. */
const LATENCY_MS = 500

/** Runs that start at the same moment, in milliseconds. */
export interface Burst {
  readonly runP50: number
  readonly runP95: number
  readonly healthP99: number
}

/** @param rounds to measure, after a smaller one to warm up */
export async function measureBurst<Name extends string>(
  arena: Arena<Name>,
  { runs, rounds }: { runs: number; rounds: number },
): Promise<readonly Measured<Name, Burst>[]> {
  await arena.conduct({ latencyMs: LATENCY_MS })
  await using servers = await arena.startAll()
  await arena.inTurn(name => burstOf(servers[name], runs / 5))
  const bursts: Measured<Name, Burst>[] = []
  while (bursts.length < rounds) bursts.push(await arena.inTurn(name => burstOf(servers[name], runs)))
  return bursts
}

async function burstOf(server: Program, runs: number): Promise<Burst> {
  const healthTimes = await pollHealth(server)
  const times = await Promise.all(Array.from({ length: runs }, () => runTask(server.port, undefined, 'own')))
  return {
    runP50: median(times),
    runP95: quantile(times, 0.95),
    healthP99: quantile(await healthTimes(), 0.99),
  }
}

/**
 * Starts polling `/health` in a separate thread, since this one is busy sending tasks. The returned function stops it and
 * returns how many milliseconds each answer took.
 */
async function pollHealth({ port }: Program): Promise<() => Promise<number[]>> {
  const poller = new Worker(new URL('health-poller.ts', import.meta.url), { workerData: { port } })
  // Wait for its first answer.
  await once(poller, 'message')
  return async () => {
    poller.postMessage('end')
    const [times] = (await once(poller, 'message')) as [number[]]
    return times
  }
}
