import type { Arena } from '../arena.ts'
import { call, runTask } from '../client.ts'
import { type Measured, medians } from '../statistics.ts'

/** A fresh process. */
export interface Start {
  /** Until its first answered health check, in milliseconds. */
  readonly ms: number
  readonly cpuMs: number
  /** Memory afterwards, in MB. */
  readonly memory: number
  /** Its first task, sent right then, and its second, in milliseconds. */
  readonly first: number
  readonly second: number
}

export async function measureStart<Name extends string>(
  arena: Arena<Name>,
  rounds: number,
): Promise<Measured<Name, Start>> {
  await arena.conduct({})
  const starts: Measured<Name, Start>[] = []
  while (starts.length < rounds) starts.push(await arena.inTurn(name => startOf(arena, name)))
  return medians(starts)
}

async function startOf<Name extends string>(arena: Arena<Name>, name: Name): Promise<Start> {
  const startedAt = performance.now()
  await using server = await arena.start(name)
  await call(server.port, 'GET', '/health', undefined, 'own')
  const ms = performance.now() - startedAt
  const [cpuMs, memory] = [server.cpuMs, server.memory('VmRSS')]
  return { ms, cpuMs, memory, first: await runTask(server.port), second: await runTask(server.port) }
}
