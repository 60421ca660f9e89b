import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requestBody } from '../support/request-body.ts'

/** How the server misbehaves; the names are the first part of the path. */
export const MODES = {
  hang_before_headers: () => undefined,
  trickle: (_request, response) => {
    response.writeHead(200, JSON_TYPE)
    const drip = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(drip))
  },
  sse_comments_only: (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const drip = setInterval(() => response.write(': still here\n\n'), 20)
    response.on('close', () => clearInterval(drip))
  },
  cut_stream: (_request, response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': 1000 })
    response.write('{"choices":[{"mess')
    setImmediate(() => response.destroy())
  },
  html_with_200: (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>'),
  wrong_shape: (_request, response) =>
    response.writeHead(200, JSON_TYPE).end('{"choices":{"length":1e9},"usage":"lots"}'),
  redirect_loop: (request, response) => response.writeHead(307, { location: request.url }).end(),
  endless_tool_calls: (_request, response) => response.writeHead(200, JSON_TYPE).end(toolCalls(1)),
  tool_calls_200: (_request, response, body) => {
    const isAnswered = body.messages.some(({ role }) => role === 'tool')
    response.writeHead(200, JSON_TYPE).end(isAnswered ? answer('done') : toolCalls(200))
  },
} satisfies Record<string, Misbehaviour>

export type Mode = keyof typeof MODES

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

type Misbehaviour = (request: IncomingMessage, response: ServerResponse, body: ChatBody) => unknown

const JSON_TYPE = { 'content-type': 'application/json' }

export interface HostileModel {
  /** The service's environment for a mode. */
  env(mode: string): Record<string, string>
  /** Requests on an open connection without an answer. */
  readonly unanswered: number
  /** Requests so far. */
  readonly requests: number
  /** Resolves once `unanswered` has the wanted value. */
  until(wanted: number): Promise<void>
  close(): Promise<void>
}

/** A model server on 127.0.0.1 that misbehaves as its base URL says; more modes may be added. */
export async function hostileModel(more: Record<string, Misbehaviour> = {}): Promise<HostileModel> {
  const modes: Record<string, Misbehaviour> = { ...MODES, ...more }
  let unanswered = 0
  let requests = 0
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const server = createServer(async (request, response) => {
    requests += 1
    unanswered += 1
    response.on('close', () => {
      unanswered -= 1
      changed()
    })
    changed()
    const body = await requestBody(request)
    if (body === undefined) return
    const mode = request.url?.split('/')[1] ?? ''
    modes[mode]?.(request, response, JSON.parse(body.toString()))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    env: mode => ({
      OPENAI_API_KEY: 'sk-proj-0123456789abcdefHOSTILE',
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/${mode}/v1`,
      MODEL: 'hostile',
    }),
    get unanswered() {
      return unanswered
    },
    get requests() {
      return requests
    },
    until: wanted =>
      new Promise(resolve => {
        const watch = () => {
          if (unanswered !== wanted) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** A chat completion with this text. */
export function answer(content: string): string {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  return JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', model: 'hostile', choices, usage })
}

/** A chat completion that asks for `count` sums. */
export function toolCalls(count: number): string {
  const call = { name: 'calculator', arguments: '{"expression":"1+1"}' }
  const tool_calls = Array.from({ length: count }, (_, n) => ({
    id: `c${n}`,
    type: 'function',
    function: call,
  }))
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const choices = [
    { index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' },
  ]
  return JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', model: 'hostile', choices, usage })
}
