import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { answer, hostileModel } from '../faults/hostile-model.ts'

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
  /** Resolves with `performance.now()` at the next model call. */
  nextCall(): Promise<number>
}

/**
 * All on 127.0.0.1: a model that asks for one search and then answers differently each time, the search, and the gate
 * where replicas ask to continue. Holds runs at one point.
 */
export async function startWorld(heldAt: Point | undefined): Promise<World> {
  const gate = Promise.withResolvers<void>()
  if (heldAt === undefined) gate.resolve()
  const calls = new Map<string, number>()
  const watchers = new Set<() => void>()
  let heldRuns = 0
  let answers = 0
  let onCall = Promise.withResolvers<number>()
  const hold = async (point: Point) => {
    if (point !== heldAt) return
    heldRuns += 1
    for (const watch of watchers) watch()
    await gate.promise
  }
  const JSON_TYPE = { 'content-type': 'application/json' }
  const end = (response: ServerResponse, body: string, point?: Point) => {
    if (point) response.once('finish', () => void hold(point))
    response.writeHead(200, JSON_TYPE).end(body)
  }
  const model = await hostileModel({
    counting: async (_request, response, { messages }) => {
      const task = String(messages.find(({ role }) => role === 'user')?.content)
      calls.set(task, (calls.get(task) ?? 0) + 1)
      onCall.resolve(performance.now())
      onCall = Promise.withResolvers()
      if (messages.some(({ role }) => role === 'tool')) {
        await hold('tool-done')
        return end(response, answer(`answer ${++answers}`))
      }
      await hold('call-sent')
      end(response, searchFor(task), 'call-answered')
    },
  })
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/search') {
      // Nothing passes an answered call that is being watched.
      if (heldAt === 'call-answered') await gate.promise
      await hold('tool-begun')
    } else await hold(pathname.slice(1) as Point)
    // A page at a refused address: nothing may wait for a name server.
    end(response, '{"results":[{"title":"t","url":"http://127.0.0.1:1","content":"c"}]}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    gate.resolve()
    await model.close()
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: { ...model.env('counting'), POINTS_URL: url, SEARCH_PROVIDER: 'searxng', SEARXNG_URL: url },
    calls,
    held: runs =>
      new Promise(resolve => {
        const watch = () => {
          if (heldRuns >= runs) resolve()
        }
        watchers.add(watch)
        watch()
      }),
    open: () => gate.resolve(),
    nextCall: () => onCall.promise,
  }
}

function searchFor(query: string): string {
  const call = {
    id: `call_${crypto.randomUUID()}`,
    type: 'function',
    function: { name: 'web_search', arguments: JSON.stringify({ query }) },
  }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  return JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage })
}
