import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { answer, hostileModel } from '../faults/hostile-model.ts'
import type { TestProcess } from '../support/process.ts'

const MOST_STARVED = 0.05

export interface CountingModel {
  readonly env: Record<string, string>
  /** Model calls so far, by the task's text. */
  readonly calls: ReadonlyMap<string, number>
}

/** Answers each time with an answer of its own, after a while. */
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
  /** Of 100 answers 99 took no longer, in milliseconds. */
  readonly p99: number
  /** Share of the time in which the replicas were ready to work, and had no processor. */
  readonly starved: number
}

/** Asks each replica for its health every 50 ms, until told to stop. */
export function watchHealth(replicas: readonly TestProcess[]): () => Promise<Health> {
  const took: number[] = []
  const from = performance.now()
  const starvedBefore = starvedMs(replicas)
  let isOn = true
  const watchers = replicas.map(async ({ url }) => {
    while (isOn) {
      const askedAt = performance.now()
      const { status } = await fetch(`${url}/health`)
      if (status !== 200) throw new Error(`health: expected 200, got ${status}`)
      took.push(performance.now() - askedAt)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  })
  return async () => {
    isOn = false
    await Promise.all(watchers)
    const starved = (starvedMs(replicas) - starvedBefore) / replicas.length / (performance.now() - from)
    return { p99: percentile(took, 0.99), starved }
  }
}

/** The second figure of Linux's schedstat: nanoseconds for which a process has waited for a processor. */
function starvedMs(replicas: readonly TestProcess[]): number {
  const waited = replicas.map(({ child }) =>
    Number(readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ')[1]),
  )
  return waited.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6
}

/** Where others take the processors, /health tells of them and not of the replicas. */
export function expectHealthy({ p99, starved }: Health): void {
  if (starved < MOST_STARVED) expect(p99).toBeLessThan(100)
}

export function describeHealth({ p99, starved }: Health): string {
  const judged = starved < MOST_STARVED ? '' : ', not judged'
  return `/health p99 ${p99.toFixed(0)} ms (no processor for ${(100 * starved).toFixed(0)} % of the time${judged})`
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
}
