import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { runTask } from '../client.ts'
import { type Arena, forEach, type PerContestant } from '../contestants.ts'
import type { Program } from '../program.ts'
import { median, quantile } from '../statistics.ts'

/** Latency of the model. Each run calls it twice, so no run can take less than twice this time. */
export const LATENCY_MS = 500

/** Runs that start at the same moment. In milliseconds, except the memory. */
export interface Burst {
  readonly runP50: number
  readonly runP99: number
  readonly healthP99: number
  readonly healthMax: number
  /** CPU time of the server per run. */
  readonly cpuPerRun: number
  /** Highest memory of the server so far, in MB. */
  readonly peakMemory: number
}

/** @param rounds to measure, after a smaller one to warm up */
export async function measureBurst(
  arena: Arena,
  { runs, rounds }: { runs: number; rounds: number },
): Promise<PerContestant<Burst>> {
  await arena.conduct({ latencyMs: LATENCY_MS })
  await using servers = await arena.startAll()
  const bursts = await forEach((): Burst[] => [])
  for (let round = 0; round <= rounds; round += 1) {
    await forEach(async name => {
      const burst = await burstOf(servers[name], round === 0 ? runs / 5 : runs)
      if (round > 0) bursts[name].push(burst)
    })
  }
  return await forEach(name => {
    const of = (key: keyof Burst) => median(bursts[name].map(burst => burst[key]))
    return {
      runP50: of('runP50'),
      runP99: of('runP99'),
      healthP99: of('healthP99'),
      healthMax: of('healthMax'),
      cpuPerRun: of('cpuPerRun'),
      peakMemory: of('peakMemory'),
    }
  })
}

export async function burstOf(server: Program, runs: number): Promise<Burst> {
  const healthTimes = await pollHealth(server)
  const cpuBefore = server.cpuMs
  const times = await Promise.all(Array.from({ length: runs }, () => runTask(server.port, undefined, 'own')))
  const cpuPerRun = (server.cpuMs - cpuBefore) / runs
  const health = await healthTimes()
  return {
    runP50: median(times),
    runP99: quantile(times, 0.99),
    healthP99: quantile(health, 0.99),
    healthMax: Math.max(...health),
    cpuPerRun,
    peakMemory: server.memory('VmHWM'),
  }
}

/**
 * Starts polling `/health` in a separate thread, since this one is busy sending tasks. The returned function stops it and
 * returns how many milliseconds each answer took.
 */
export async function pollHealth({ port }: Program): Promise<() => Promise<number[]>> {
  const poller = new Worker(new URL('health-poller.ts', import.meta.url), { workerData: { port } })
  // Wait for its first answer.
  await once(poller, 'message')
  return async () => {
    poller.postMessage('end')
    const [times] = (await once(poller, 'message')) as [number[]]
    return times
  }
}
