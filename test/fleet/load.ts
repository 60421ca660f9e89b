import { expect } from 'vitest'
import { answer, hostileModel } from '../faults/hostile-model.ts'
import type { TestProcess } from '../support/process.ts'

/** The interface's time limit for a health check, in milliseconds. */
const HEALTH_MS = 5_000
const EVERY_MS = 200

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

/** Polls each replica's health until told to stop; none may become unavailable as the orchestrator judges it. */
export function watchHealth(replicas: readonly TestProcess[]): () => Promise<number> {
  const asked = replicas.map(({ url }) => ({ url, checks: [] as Promise<string>[] }))
  const timer = setInterval(() => {
    for (const { url, checks } of asked) {
      const answer = fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) })
      checks.push(answer.then(({ status }) => (status === 200 ? '.' : '!')).catch(() => '!'))
    }
  }, EVERY_MS)
  return async () => {
    clearInterval(timer)
    const seen = await Promise.all(asked.map(async ({ checks }) => (await Promise.all(checks)).join('')))
    // More than three failures in a row.
    for (const checks of seen) expect(checks).not.toContain('!!!!')
    return seen.join('').length
  }
}
