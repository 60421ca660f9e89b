import type { Arena } from '../arena.ts'
import { runTask, runTasks } from '../client.ts'
import { type Measured, median } from '../statistics.ts'

const AT_ONCE = 16

/** The cost of one run: one task, one tool call, two model calls, and a model without latency. */
export interface RunCost {
  /** CPU time of the server's process, in milliseconds. */
  readonly cpuMs: number
  /** From request to reply on an otherwise idle server, in milliseconds. */
  readonly latencyMs: number
  /** Bytes sent to the model. */
  readonly promptBytes: number
  /** Highest memory of the server so far, in MB. */
  readonly peakMemory: number
}

/**
 * The contestants take turns, batch by batch, so that other load on the machine affects all of them. Processes of the same
 * program differ by what V8 happens to optimise, so several are measured.
 */
export async function measureRunCost<Name extends string>(
  arena: Arena<Name>,
  { processes, batches, runs, warmUp }: { processes: number; batches: number; runs: number; warmUp: number },
): Promise<readonly Measured<Name, RunCost>[]> {
  await arena.conduct({})
  const measured: Measured<Name, RunCost>[] = []
  for (let process = 0; process < processes; process += 1) {
    await using servers = await arena.startAll()
    await arena.inTurn(name => runTasks(servers[name].port, warmUp, AT_ONCE))
    for (let batch = 0; batch < batches; batch += 1) {
      const round = await arena.inTurn(async name => {
        const server = servers[name]
        const before = { cpuMs: server.cpuMs, ...(await arena.received()) }
        await runTasks(server.port, runs, AT_ONCE)
        const cpuMs = (server.cpuMs - before.cpuMs) / runs
        const promptBytes = ((await arena.received()).bytes - before.bytes) / runs
        const alone: number[] = []
        while (alone.length < runs / 8) alone.push(await runTask(server.port))
        return { cpuMs, promptBytes, latencyMs: median(alone), peakMemory: server.memory('VmHWM') }
      })
      measured.push(round)
    }
  }
  return measured
}
