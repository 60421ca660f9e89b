import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Figures, quantile, type Round } from './figures.ts'
import type { Model } from './model.ts'
import type { Server } from './server.ts'

/** How to start each contestant, by name. */
export type Contestants = Readonly<Record<string, () => Promise<Server>>>

/** Some load what they need once they listen; nobody sends a task at once. */
const REST_MS = 1_000

/** A task of 4,000 characters that needs no tools. */
const LONG_TASK = {
  input: 'Summarise the following. '.padEnd(4_000, 'Lorem ipsum dolor sit amet. '),
  steps: 1,
}

/**
 * The cost of a run, with a model without latency. Processes of the same program differ by what V8 happens to optimise, so
 * several are measured.
 */
export async function runs(contestants: Contestants, model: Model): Promise<Round[]> {
  const measured: Round[] = []
  for (let process = 0; process < 3; process += 1) {
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
  const before = { cpuMs: server.cpuMs, bytes: model.bytes }
  await runMany(server, BATCH)
  const after = { cpuMs: server.cpuMs, bytes: model.bytes }
  const alone: number[] = []
  while (alone.length < 8) alone.push(await server.run())
  return {
    'CPU time of a run, ms': (after.cpuMs - before.cpuMs) / BATCH,
    'latency of a run alone, ms': quantile(alone, 0.5),
    'bytes to the model': (after.bytes - before.bytes) / BATCH,
    'peak memory so far, MB': server.memory('VmHWM'),
  }
}

/** Sixteen at a time. */
async function runMany(server: Server, count: number): Promise<void> {
  let left = count
  const caller = async () => {
    while (left-- > 0) await server.run()
  }
  await Promise.all(Array.from({ length: 16 }, caller))
}

/** 500 runs that start at the same moment. Each calls the model twice, so none can take less than a second. */
export async function bursts(contestants: Contestants, model: Model): Promise<Round[]> {
  await using running = new AsyncDisposableStack()
  const servers = await inTurn(contestants, async start => running.use(await start()))
  model.latencyMs = 500
  await inTurn(servers, server => burst(server, 100))
  const measured = await rounds(3, servers, server => burst(server, 500))
  model.latencyMs = 0
  return measured
}

async function burst(server: Server, count: number): Promise<Figures> {
  // In a thread of its own, since this one is busy with the tasks.
  const poller = new Worker(new URL('health-poller.ts', import.meta.url), { workerData: { url: server.url } })
  // Its first answer.
  await once(poller, 'message')
  const all = Promise.all(Array.from({ length: count }, () => server.run()))
  const [times, [healthTimes]] = await Promise.all([
    all.finally(() => poller.postMessage('end')),
    once(poller, 'message') as Promise<[number[]]>,
  ])
  return {
    '500 at once: p50 of a run, ms': quantile(times, 0.5),
    '500 at once: p95 of a run, ms': quantile(times, 0.95),
    '500 at once: p99 of /health, ms': quantile(healthTimes, 0.99),
  }
}

/** Memory with 500 concurrent runs. */
export async function memories(contestants: Contestants, model: Model): Promise<Round[]> {
  return await rounds(3, contestants, async start => {
    const { eachKb, peakMb } = await memoryOf(start, model, 500)
    return { '500 at once: memory of each, KB': eachKb, '500 at once: peak memory, MB': peakMb }
  })
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
