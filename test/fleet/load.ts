import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { answer, hostileModel } from '../faults/hostile-model.ts'
import type { TestProcess } from '../support/process.ts'

const MOST_STARVED = 0.05
/** Upper bound for 99 of 100 answers of /health, in milliseconds. */
const MOST_MS = 100
/** The replicas' setting. */
const TICK_MS = 5
const POLLER = fileURLToPath(new URL('health-poller.ts', import.meta.url))

export interface CountingModel {
  readonly env: Record<string, string>
  /** Model calls so far, by the task's text. */
  readonly calls: ReadonlyMap<string, number>
}

/** Gives a different answer each time, after a while. */
export async function countingModel(latencyMs: number): Promise<CountingModel & { close(): Promise<void> }> {
  const calls = new Map<string, number>()
  let answers = 0
  const model = await hostileModel({
    counting: (_request, response, { messages }) => {
      const task = String(messages.find(({ role }) => role === 'user')?.content)
      calls.set(task, (calls.get(task) ?? 0) + 1)
      const text = answer(`answer ${++answers}`)
      const reply = () => response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      setTimeout(reply, latencyMs)
    },
  })
  return { env: model.env('counting'), calls, close: () => model.close() }
}

export interface Health {
  /** How long answers took, in milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The p99 due to the replicas' own work, in milliseconds, whatever else keeps this machine busy. */
  readonly ownP99: number
  /** Share of the time in which the replicas were ready to run but had no processor. */
  readonly starved: number
}

/** Polls each replica's health every 50 ms, from a separate process, until told to stop. */
export async function watchHealth(replicas: readonly TestProcess[]): Promise<() => Promise<Health>> {
  const poller = spawn(process.execPath, [POLLER, ...replicas.map(({ url }) => url)])
  onTestFinished(() => void poller.kill('SIGKILL'))
  poller.stderr.pipe(process.stderr)
  await Promise.all(replicas.map(replica => workOf(replica, 1)))
  const from = performance.now()
  const starvedBefore = starvedMs(replicas)
  return async () => {
    const starved = (starvedMs(replicas) - starvedBefore) / replicas.length / (performance.now() - from)
    poller.stdin.end()
    const took = JSON.parse(await text(poller.stdout)) as number[]
    const ticks = await Promise.all(replicas.map(replica => workOf(replica, 2)))
    const [p50, p99, max] = [0.5, 0.99, 1].map(share => percentile(took, share)) as [number, number, number]
    return { p50, p99, max, ownP99: Math.max(...ticks.map(waitP99)), starved }
  }
}

/** A replica's ticks since the last query. */
async function workOf({ child, line }: TestProcess, nth: number): Promise<number[]> {
  child.kill('SIGUSR2')
  const { ticks } = await line(({ msg, told }) => msg === 'at work' && told === nth)
  return ticks as number[]
}

/** An event at a random moment waits for its current tick to end: this long or less in 99 of 100 cases. */
function waitP99(ticks: readonly number[]): number {
  const all = ticks.reduce((sum, ms) => sum + Math.max(ms, TICK_MS), 0)
  const over = (limit: number) => ticks.reduce((sum, ms) => sum + Math.max(0, ms - limit), 0)
  let limit = 0
  while (over(limit) > all / 100) limit += 1
  return limit
}

/** The second figure of Linux's schedstat: nanoseconds a process has waited for a processor. */
function starvedMs(replicas: readonly TestProcess[]): number {
  const waited = replicas.map(({ child }) =>
    Number(readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ')[1]),
  )
  return waited.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6
}

/** If others use the processors, the times of /health reflect them rather than the replicas. */
export function expectHealthy({ p99, ownP99, starved }: Health): void {
  expect(ownP99).toBeLessThan(MOST_MS)
  if (starved < MOST_STARVED) expect(p99).toBeLessThan(MOST_MS)
}

export function describeHealth({ p50, p99, max, ownP99, starved }: Health): string {
  const took = [p50, p99, max].map(ms => ms.toFixed(0)).join('/')
  return `/health p50/p99/max ${took} ms, p99 by own work ${ownP99} ms, no processor ${(100 * starved).toFixed(0)} % of the time`
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
}
