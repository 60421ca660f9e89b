import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import type { TestProcess } from '@agent-task-service/test-support/process'
import { expect } from 'vitest'

/** The interface's time limit for a health check, in milliseconds. */
const HEALTH_MS = 5_000
const EVERY_MS = 200

export interface CountingModel {
  readonly env: Record<string, string>
  /** Model calls so far, by the task's text. */
  readonly calls: ReadonlyMap<string, number>
}

/** Gives a different answer each time, after a while. */
export async function countingModel(latencyMs: number): Promise<CountingModel> {
  const calls = new Map<string, number>()
  let answers = 0
  const { env } = await openAIServer(async ({ body: { messages } }) => {
    const task = String(messages.find(({ role }) => role === 'user')?.content)
    calls.set(task, (calls.get(task) ?? 0) + 1)
    const answer = says(`answer ${++answers}`, { usage: { prompt_tokens: 10, completion_tokens: 5 } })
    await new Promise(resolve => setTimeout(resolve, latencyMs))
    return answer
  })
  return { env, calls }
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
