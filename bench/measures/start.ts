import { startStudio } from '../../test/support/studio.ts'
import { call } from '../client.ts'
import { type Arena, CONTESTANTS, type Contestant } from '../contestants.ts'
import { median } from '../statistics.ts'

export type Started = Contestant | 'bare'

/** The cost from the start of a process to its first answered health check. */
export interface Start {
  readonly ms: number
  readonly cpuMs: number
  /** Memory afterwards, in MB. */
  readonly memory: number
}

export async function measureStart(arena: Arena, rounds: number): Promise<Record<Started, Start>> {
  const names: readonly Started[] = ['bare', ...CONTESTANTS]
  const starts = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<Started, Start[]>
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) starts[name].push(await startOf(arena, name))
  }
  const medians = names.map(name => {
    const of = (key: keyof Start) => median(starts[name].map(start => start[key]))
    return [name, { ms: of('ms'), cpuMs: of('cpuMs'), memory: of('memory') }]
  })
  return Object.fromEntries(medians)
}

async function startOf(arena: Arena, name: Started): Promise<Start> {
  const startedAt = performance.now()
  await using server = await arena.start(name)
  await call(server.port, 'GET', '/health', undefined, 'own')
  const ms = performance.now() - startedAt
  return { ms, cpuMs: server.cpuMs, memory: server.memory('VmRSS') }
}

/** Start-up time of LangGraph's development server with this project's graph, in milliseconds. */
export async function measureStudioStart(): Promise<number> {
  const startedAt = performance.now()
  const studio = await startStudio()
  const ms = performance.now() - startedAt
  await studio.stop()
  return ms
}
