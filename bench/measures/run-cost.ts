import { runTask, runTasks } from '../client.ts'
import { type Arena, forEach, type PerContestant } from '../contestants.ts'
import { median } from '../statistics.ts'

const AT_ONCE = 16

/** The cost of one run: one task, one tool call, two model calls, and a model without latency. */
export interface RunCost {
  /** CPU time of the server's process, in milliseconds. */
  readonly cpuMs: number
  /** From request to reply on an otherwise idle server, in milliseconds. */
  readonly latencyMs: number
  /** Bytes sent to the model. */
  readonly promptBytes: number
}

/**
 * The contestants take turns, batch by batch, so that other load on the machine affects all of them. Processes of the same
 * program differ by what V8 happens to optimise, so several are measured.
 */
export async function measureRunCost(
  arena: Arena,
  { processes, batches, runs, warmUp }: { processes: number; batches: number; runs: number; warmUp: number },
): Promise<PerContestant<RunCost>> {
  await arena.conduct({})
  const cpu = await forEach((): number[] => [])
  const latency = await forEach((): number[] => [])
  const promptBytes = await forEach((): number[] => [])
  for (let process = 0; process < processes; process += 1) {
    await using servers = await arena.startAll()
    await forEach(async name => {
      await runTasks(servers[name].port, warmUp, AT_ONCE)
      const before = (await arena.received()).bytes
      await runTask(servers[name].port)
      promptBytes[name].push((await arena.received()).bytes - before)
    })
    for (let batch = 0; batch < batches; batch += 1) {
      await forEach(async name => {
        const server = servers[name]
        const before = server.cpuMs
        await runTasks(server.port, runs, AT_ONCE)
        cpu[name].push((server.cpuMs - before) / runs)
        for (let run = 0; run < runs / 8; run += 1) latency[name].push(await runTask(server.port))
      })
    }
  }
  return await forEach(name => ({
    cpuMs: median(cpu[name]),
    latencyMs: median(latency[name]),
    promptBytes: median(promptBytes[name]),
  }))
}
