import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Figures, quantile, type Round } from './figures.ts'
import type { Model } from './model.ts'
import type { Crowd, Kind, Series, Sized } from './series.ts'
import type { Server } from './server.ts'
import { SHORT, type Work } from './work.ts'

/** How to start each contestant, by name. */
export type Contestants = Readonly<Record<string, (env?: Record<string, string>) => Promise<Server>>>

/** Some load what they need once they listen; nobody sends a task at once. */
const REST_MS = 1_000

/** A task of 4,000 characters that needs no tools. */
const LONG_TASK: Work = { ...SHORT, steps: 0, taskKb: 4 }

/** Processes of the same program differ by what V8 happens to optimise, so several are measured. */
const PROCESSES = 3

/** The cost of a run, with a model without latency. */
export async function runs(contestants: Contestants, model: Model): Promise<Round[]> {
  const measured: Round[] = []
  for (let process = 0; process < PROCESSES; process += 1) {
    await using running = new AsyncDisposableStack()
    const servers = await inTurn(contestants, async start => running.use(await start()))
    // In small steps: a process that rests while others warm up loses much of what V8 had optimised.
    for (let step = 0; step < 10; step += 1) await inTurn(servers, server => runMany(server, 100))
    measured.push(...(await rounds(6, servers, server => batch(server, model))))
  }
  return measured
}

const BATCH = 60

async function batch(server: Server, model: Model): Promise<Figures> {
  const bytes = model.bytes
  const cpuMs = await cpuOf(server, BATCH)
  const sent = model.bytes - bytes
  const alone: number[] = []
  while (alone.length < 8) alone.push(await server.run())
  return {
    'CPU time of a run, ms': cpuMs,
    'latency of a run alone, ms': quantile(alone, 0.5),
    'bytes to the model': sent / BATCH,
    'peak memory so far, MB': server.memory('VmHWM'),
  }
}

/** CPU time that each of so many runs takes, in milliseconds. */
async function cpuOf(server: Server, count: number, kind: Partial<Kind> = {}): Promise<number> {
  const before = server.cpuMs
  await runMany(server, count, kind)
  return (server.cpuMs - before) / count
}

/** Sixteen at a time; if the model takes its time, all at once. */
async function runMany(server: Server, count: number, { work = SHORT, accept }: Partial<Kind> = {}) {
  let left = count
  const caller = async () => {
    while (left-- > 0) await server.run(work, accept)
  }
  await Promise.all(Array.from({ length: work.pieceMs > 0 ? count : 16 }, caller))
}

/**
 * What a run of each of these kinds costs, by its label.
 *
 * @returns rounds in the order of `kinds`
 */
export async function costs(contestants: Contestants, kinds: readonly Kind[]): Promise<Round[][]> {
  const measured = new Map<Kind, Round[]>(kinds.map(kind => [kind, []]))
  for (let process = 0; process < 2; process += 1)
    for (const [tools, group] of Map.groupBy(kinds, kind => kind.tools ?? 0)) {
      const groupRounds = await costsWith(contestants, tools, group)
      for (const [index, kind] of group.entries()) measured.get(kind)!.push(...groupRounds[index]!)
    }
  return [...measured.values()]
}

/** The same with new servers, which offer so many more tools. */
async function costsWith(contestants: Contestants, tools: number, kinds: readonly Kind[]) {
  await using running = new AsyncDisposableStack()
  const env = { TOOLS: String(tools) }
  const servers = await inTurn(contestants, async start => running.use(await start(env)))
  for (let step = 0; step < 10; step += 1) await inTurn(servers, server => runMany(server, 60))
  const measured: Round[][] = []
  for (const kind of kinds) {
    const measure = async (server: Server) => ({ [kind.label]: await cpuOf(server, kind.runs, kind) })
    await inTurn(servers, measure)
    measured.push(await rounds(3, servers, measure))
  }
  return measured
}

/** What each unit of a series takes more, in microseconds, from its smallest to its largest size. */
export function slopes({ each, sizes }: Series, measured: readonly (readonly Round[])[]): Round[] {
  const [first, last] = [sizes[0]!, sizes.at(-1)!]
  const of = (round: Round, { label }: Sized, name: string) => round[name]![label]!
  return measured[0]!.map((least, index) => {
    const most = measured.at(-1)![index]!
    const slopeOf = (name: string) =>
      (of(most, last, name) - of(least, first, name)) / (last.size - first.size)
    return Object.fromEntries(
      Object.keys(least).map(name => [name, { [`each ${each}, µs`]: 1_000 * slopeOf(name) }]),
    )
  })
}

/** Runs that start at the same moment, each time on a fresh server that has done a few. */
export async function crowd(
  contestants: Contestants,
  model: Model,
  { name, count, work, latencyMs }: Crowd,
): Promise<Round[]> {
  return await rounds(3, contestants, async start => {
    await using server = await start()
    for (let step = 0; step < 5; step += 1) await runMany(server, 60)
    await sleep(REST_MS)
    const idle = { mb: server.memory('VmRSS'), cpuMs: server.cpuMs }
    server.resetPeak()
    model.latencyMs = latencyMs
    const { times, healthTimes } = await burst(server, count, work)
    model.latencyMs = 0
    return {
      [`${name}: CPU time of each, ms`]: (server.cpuMs - idle.cpuMs) / count,
      [`${name}: p50 of a run, ms`]: quantile(times, 0.5),
      [`${name}: p95 of a run, ms`]: quantile(times, 0.95),
      [`${name}: p99 of /health, ms`]: quantile(healthTimes, 0.99),
      [`${name}: memory of each, KB`]: ((server.memory('VmHWM') - idle.mb) * 1024) / count,
    }
  })
}

async function burst(server: Server, count: number, work: Work) {
  // In a thread of its own, since this one is busy with the tasks.
  const poller = new Worker(new URL('health-poller.ts', import.meta.url), { workerData: { url: server.url } })
  // Its first answer.
  await once(poller, 'message')
  const all = Promise.all(Array.from({ length: count }, () => server.run(work)))
  const [times, [healthTimes]] = await Promise.all([
    all.finally(() => poller.postMessage('end')),
    once(poller, 'message') as Promise<[number[]]>,
  ])
  return { times, healthTimes }
}

/** Memory of a fresh server while so many runs wait for the model, each run's share, and the peak, when all are answered at once. */
export async function memoryOf(start: () => Promise<Server>, model: Model, count: number) {
  await using server = await start()
  await sleep(REST_MS)
  const idleMb = server.memory('VmRSS')
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  model.until = promise
  const replies = Promise.all(Array.from({ length: count }, () => server.run(LONG_TASK)))
  while (model.waiting < count) await sleep(20)
  const heldMb = server.memory('VmRSS')
  answer()
  await replies
  return { heldMb, eachKb: ((heldMb - idleMb) * 1024) / count, peakMb: server.memory('VmHWM') }
}

/** Fresh processes. */
export async function starts(contestants: Contestants): Promise<Round[]> {
  return await rounds(7, contestants, async start => {
    const startedAt = performance.now()
    await using server = await start()
    await (await fetch(`${server.url}/health`)).text()
    const ms = performance.now() - startedAt
    await sleep(REST_MS)
    return {
      'start until /health, ms': ms,
      'idle memory, MB': server.memory('VmRSS'),
      'first task, ms': await server.run(),
      'second task, ms': await server.run(),
    }
  })
}

/** Each second round goes backwards: who comes first finds another machine than who comes last. */
async function rounds<Item>(
  count: number,
  items: Readonly<Record<string, Item>>,
  measure: (item: Item) => Promise<Figures>,
): Promise<Round[]> {
  const backwards = Object.fromEntries(Object.entries(items).toReversed())
  const measured: Round[] = []
  while (measured.length < count)
    measured.push(await inTurn(measured.length % 2 === 0 ? items : backwards, measure))
  return measured
}

/** One after the other, round by round, so that other load on the machine affects all of them. */
async function inTurn<Item, Value>(
  items: Readonly<Record<string, Item>>,
  measure: (item: Item) => Promise<Value>,
): Promise<Record<string, Value>> {
  const values: Record<string, Value> = {}
  for (const [name, item] of Object.entries(items)) values[name] = await measure(item)
  return values
}
