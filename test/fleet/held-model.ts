import { startBackend } from '@agent-task-service/test-support/backend'
import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { until } from '@agent-task-service/test-support/until'
import { onTestFinished } from 'vitest'

export interface HeldModel {
  /** The environment of its replicas. */
  readonly env: Record<string, string>
  /** Model calls so far, by task. */
  readonly calls: ReadonlyMap<string, number>
  /** Resolves when this many runs are held. */
  held(runs: number): Promise<void>
  /** Lets everything continue from now on. */
  open(): void
}

/**
 * On 127.0.0.1, a model that asks for one search and then answers differently each time, and the search. It holds each run at its
 * first or its second call.
 */
export async function startHeldModel(heldAt: 'first' | 'second'): Promise<HeldModel> {
  const gate = Promise.withResolvers<void>()
  onTestFinished(() => gate.resolve())
  const calls = new Map<string, number>()
  let heldRuns = 0
  let answers = 0
  const usage = { prompt_tokens: 10, completion_tokens: 5 }
  const model = await openAIServer(async ({ body: { messages } }): Promise<Reply> => {
    const task = String(messages.find(({ role }) => role === 'user')?.content)
    calls.set(task, (calls.get(task) ?? 0) + 1)
    const isSecond = messages.some(({ role }) => role === 'tool')
    if (isSecond === (heldAt === 'second')) {
      heldRuns += 1
      await gate.promise
    }
    return isSecond
      ? says(`answer ${++answers}`, { usage })
      : asks([call('web_search', { query: task })], { usage })
  })
  const { url } = await startBackend(async response => {
    // A page at a refused address: nothing may wait for a name server.
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"results":[{"title":"t","url":"http://127.0.0.1:1","content":"c"}]}')
  })
  return {
    env: { ...model.env, SEARCH_PROVIDER: 'searxng', SEARXNG_URL: url },
    calls,
    held: runs => until(() => heldRuns >= runs),
    open: () => gate.resolve(),
  }
}
