/**
 * Tells in which libraries a run of this service computes, and writes the table of docs/reference/performance.md. A profile of one task
 * and its tool call, once warm, not bundled, so that each function is in its own file; idle time is left out.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { replaceRegion } from '@agent-task-service/cli/documents'
import { figure, machine, table } from './figures.ts'
import { Model } from './model.ts'
import { Server } from './server.ts'

const [WARM_UP, RUNS] = [1_000, 1_000]

/** Parts of a file's path, the first that fits. */
const ROOMS = [
  ['node_modules/@langchain/langgraph', 'LangGraph'],
  ['node_modules/@langchain/', 'LangChain'],
  ['node_modules/langsmith/', 'LangChain'],
  ['node_modules/zod/', 'zod'],
  ['node_modules/@hono/', 'Hono'],
  ['node_modules/hono/', 'Hono'],
  ['node_modules/', 'other libraries'],
  ['', 'this project'],
] as const

interface Frame {
  readonly functionName: string
  readonly url: string
}
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[]
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

await using folder = await mkdtempDisposable(join(tmpdir(), 'bench-'))
const model = await Model.start()
const NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${folder.path}`
const server = await Server.start(fileURLToPath(new URL('servers/ours.ts', import.meta.url)), {
  ...model.env,
  NODE_OPTIONS,
})
for (let count = 0; count < WARM_UP; count += 1) await server.run()
// The profiler's clock.
const startedAt = Number(process.hrtime.bigint() / 1_000n)
for (let count = 0; count < RUNS; count += 1) await server.run()
await server.end()

const name = readdirSync(folder.path).find(file => file.endsWith('.cpuprofile'))!
const profile: Profile = JSON.parse(readFileSync(join(folder.path, name), 'utf8'))
const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
const times = new Map<string, number>()
let now = profile.startTime
for (const [index, id] of profile.samples.entries()) {
  const delta = profile.timeDeltas[index]!
  now += delta
  if (now < startedAt) continue
  const room = roomOf(frames.get(id)!)
  if (room !== undefined) times.set(room, (times.get(room) ?? 0) + delta)
}
const total = [...times.values()].reduce((sum, time) => sum + time, 0)
const rows = [...times].sort(([, one], [, other]) => other - one)
const written = rows.map(([room, time]) => [room, figure(time / RUNS), `${figure((100 * time) / total)} %`])
replaceRegion(
  'reference/performance.md',
  'rooms',
  `${machine()}\n\n${table(['', 'µs of a run', 'share'], written)}`,
)

/** Where a function is from; `undefined` while nothing runs. */
function roomOf(frame: Frame): string | undefined {
  if (frame.functionName === '(idle)') return undefined
  if (frame.functionName === '(garbage collector)') return 'garbage collection'
  if (!frame.url.startsWith('file:')) return 'Node and V8: sockets, HTTP, timers, promises'
  return ROOMS.find(([part]) => frame.url.includes(part))![1]
}
