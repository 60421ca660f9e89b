import { answer, hostileModel } from '../faults/hostile-model.ts'
import type { TestProcess } from '../support/process.ts'

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

/**
 * Asks each replica for its health all the time, until told to stop; then tells how long the answers took beyond what this
 * process itself was late, 99 of 100, in milliseconds: a busy machine delays both.
 */
export function watchHealth(
  replicas: readonly TestProcess[],
): () => Promise<{ p99: number; lateP99: number }> {
  const took: number[] = []
  const late: number[] = []
  let isOn = true
  const watchers = replicas.map(async ({ url }) => {
    while (isOn) {
      const askedAt = performance.now()
      const { status } = await fetch(`${url}/health`)
      if (status !== 200) throw new Error(`health: expected 200, got ${status}`)
      took.push(performance.now() - askedAt)
      const from = performance.now()
      await new Promise(resolve => setTimeout(resolve, 50))
      late.push(performance.now() - from - 50)
    }
  })
  return async () => {
    isOn = false
    await Promise.all(watchers)
    return { p99: percentile(took, 0.99), lateP99: percentile(late, 0.99) }
  }
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
}
