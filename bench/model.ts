import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const CALLED = { name: 'calculator', arguments: '{"expression":"17*23"}' }
const CALL = { content: null, tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: CALLED }] }
const ANSWER = ['17', ' ×', ' 23', ' =', ' 391']
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

/**
 * An OpenAI-compatible model on 127.0.0.1. If the task is a product it calls the calculator, then it answers. It also
 * accepts telemetry, as a collector would.
 */
export class Model {
  readonly url: string
  /** How long each answer takes. */
  latencyMs = 0
  /** No answer comes before this resolves. */
  until = Promise.resolve()
  /** Requests that are not answered yet. */
  waiting = 0
  /** Total size of the requests so far. */
  bytes = 0

  private constructor(url: string) {
    this.url = url
  }

  /** It ends with this process. */
  static async start(): Promise<Model> {
    const server = createServer()
    // Servers keep their connections until their next turn.
    server.keepAliveTimeout = 300_000
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }).unref()
    await once(server, 'listening')
    const model = new Model(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    server.on('request', (request, response) => model.#answer(request, response))
    return model
  }

  /** What a server needs to call it. */
  get env(): Record<string, string> {
    return { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${this.url}/v1`, MODEL: 'bench' }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined)
    // A server was stopped while it sent telemetry.
    if (body === undefined) return
    const isStreamed = body.includes('"stream":true')
    response.setHeader('content-type', isStreamed ? 'text/event-stream' : 'application/json')
    if (request.url !== '/v1/chat/completions') return void response.end('{}')
    this.bytes += Buffer.byteLength(body)
    this.waiting += 1
    if (this.latencyMs > 0) await sleep(this.latencyMs)
    await this.until
    this.waiting -= 1
    const isCall = body.includes('17*23?') && !body.includes('"role":"tool"')
    response.end(isStreamed ? streamed(isCall) : whole(isCall))
  }
}

function whole(isCall: boolean): string {
  const message = { role: 'assistant', ...(isCall ? CALL : { content: ANSWER.join('') }) }
  const choices = [{ index: 0, message, finish_reason: isCall ? 'tool_calls' : 'stop' }]
  return JSON.stringify({ ...envelope('chat.completion'), choices, usage: USAGE })
}

/** The same as server-sent events, one for each word. */
function streamed(isCall: boolean): string {
  const deltas = isCall ? [CALL] : ANSWER.map(content => ({ content }))
  const choices = [
    ...deltas.map(delta => ({ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' },
  ]
  const chunks = [...choices.map(choice => ({ choices: [choice] })), { choices: [], usage: USAGE }]
  const common = envelope('chat.completion.chunk')
  const events = chunks.map(chunk => JSON.stringify({ ...common, ...chunk }))
  return [...events, '[DONE]'].map(event => `data: ${event}\n\n`).join('')
}

/** With an id of its own: LangGraph takes two messages with one id for the same message. */
function envelope(object: string): object {
  return { id: `chatcmpl-${randomUUID()}`, object, created: 1, model: 'bench' }
}
