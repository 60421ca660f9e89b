import { startBackend } from '@agent-task-service/test-support/backend'
import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { until } from '@agent-task-service/test-support/until'
import { onTestFinished } from 'vitest'

/** Moments of a run, in order. */
export const POINTS = [
  'claimed',
  'call-sent',
  'call-answered',
  'tool-begun',
  'tool-done',
  'before-stored',
  'stored',
  'answered',
] as const
export type Point = (typeof POINTS)[number]

export interface World {
  /** The environment of its replicas. */
  readonly env: Record<string, string>
  /** Model calls so far, by task. */
  readonly calls: ReadonlyMap<string, number>
  /** Resolves when this many runs have reached the point where they are held. */
  held(runs: number): Promise<void>
  /** Lets everything continue from now on. */
  open(): void
  /** Resolves with `performance.now()` at the next model call or search. */
  nextStep(): Promise<number>
}

/**
 * All on 127.0.0.1: a model that asks for one search and then answers differently each time, the search, and the gate
 * where replicas ask to continue. Holds runs at one point.
 */
export async function startWorld(heldAt: Point | undefined): Promise<World> {
  const gate = Promise.withResolvers<void>()
  if (heldAt === undefined) gate.resolve()
  const calls = new Map<string, number>()
  let heldRuns = 0
  let answers = 0
  let onStep = Promise.withResolvers<number>()
  const stepBegins = () => {
    onStep.resolve(performance.now())
    onStep = Promise.withResolvers()
  }
  const hold = async (point: Point) => {
    if (point !== heldAt) return
    heldRuns += 1
    await gate.promise
  }
  const usage = { prompt_tokens: 10, completion_tokens: 5 }
  const model = await openAIServer(async ({ body: { messages } }): Promise<Reply> => {
    const task = String(messages.find(({ role }) => role === 'user')?.content)
    calls.set(task, (calls.get(task) ?? 0) + 1)
    stepBegins()
    if (messages.some(({ role }) => role === 'tool')) {
      await hold('tool-done')
      return says(`answer ${++answers}`, { usage })
    }
    await hold('call-sent')
    return (response, request) => {
      response.once('finish', () => void hold('call-answered'))
      asks([call('web_search', { query: task })], { usage })(response, request)
    }
  })
  const { url } = await startBackend(async (response, { path }) => {
    const { pathname } = new URL(path, 'http://localhost')
    if (pathname === '/search') {
      stepBegins()
      // Nothing passes an answered call that is being watched.
      if (heldAt === 'call-answered') await gate.promise
      await hold('tool-begun')
    } else await hold(pathname.slice(1) as Point)
    // A page at a refused address: nothing may wait for a name server.
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"results":[{"title":"t","url":"http://127.0.0.1:1","content":"c"}]}')
  })
  onTestFinished(() => gate.resolve())
  return {
    env: { ...model.env, POINTS_URL: url, SEARCH_PROVIDER: 'searxng', SEARXNG_URL: url },
    calls,
    held: runs => until(() => heldRuns >= runs),
    open: () => gate.resolve(),
    nextStep: () => onStep.promise,
  }
}
