import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANSWER, type Work, workIn } from './work.ts'

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

interface ModelRequest {
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/**
 * An OpenAI-compatible model on 127.0.0.1. It makes the calls and writes the answer that a task asks for. It also accepts
 * telemetry, as a collector would.
 */
export class Model {
  readonly url: string
  /** How long each answer takes until it begins, in milliseconds. */
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
    if (request.url !== '/v1/chat/completions') {
      response.setHeader('content-type', 'application/json')
      return void response.end('{}')
    }
    this.bytes += Buffer.byteLength(body)
    this.waiting += 1
    if (this.latencyMs > 0) await sleep(this.latencyMs)
    await this.until
    this.waiting -= 1
    await reply(JSON.parse(body), response)
  }
}

async function reply({ stream = false, messages }: ModelRequest, response: ServerResponse): Promise<void> {
  const work = workIn(textIn(messages.find(({ role }) => role === 'user')?.content))
  const turn = messages.filter(({ role }) => role === 'tool').length / work.calls
  const calls = turn < work.steps ? callsOf(work, turn) : undefined
  response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
  if (!stream) {
    if (!calls) await sleep(work.pieces * work.pieceMs)
    return void response.end(JSON.stringify(whole(calls, work)))
  }
  const id = `chatcmpl-${randomUUID()}`
  const events = eventsOf(calls, work).map(event => {
    const chunk = { id, object: 'chat.completion.chunk', created: 1, model: 'bench', ...event }
    return `data: ${JSON.stringify(chunk)}\n\n`
  })
  const end = 'data: [DONE]\n\n'
  if (calls || work.pieceMs === 0) return void response.end(events.join('') + end)
  for (const event of events) {
    response.write(event)
    await sleep(work.pieceMs)
    if (response.destroyed) return
  }
  response.end(end)
}

function textIn(content: unknown): string {
  return typeof content === 'string' ? content : (content as { text: string }[])[0]!.text
}

/** Each turn asks for something else, as models do. */
function callsOf({ calls, resultKb }: Work, turn: number) {
  return Array.from({ length: calls }, (_, index) => {
    const number = turn * calls + index
    const called =
      resultKb > 0
        ? { name: 'document', arguments: JSON.stringify({ kb: resultKb, number }) }
        : { name: 'calculator', arguments: JSON.stringify({ expression: `17*${23 + number}` }) }
    return { index, id: `call_${number}`, type: 'function', function: called }
  })
}

function piecesOf({ pieces }: Work): string[] {
  return [...Array.from({ length: pieces - 1 }, (_, index) => ` word${index % 10}`), ` ${ANSWER}`]
}

/** With an id of its own: LangGraph takes two messages with one id for the same message. */
function whole(calls: ReturnType<typeof callsOf> | undefined, work: Work): object {
  const said = calls ? { content: null, tool_calls: calls } : { content: piecesOf(work).join('') }
  const message = { role: 'assistant', ...said }
  const choices = [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }]
  const id = `chatcmpl-${randomUUID()}`
  return { id, object: 'chat.completion', created: 1, model: 'bench', choices, usage: USAGE }
}

/** The same as server-sent events, one for each piece. */
function eventsOf(calls: ReturnType<typeof callsOf> | undefined, work: Work): object[] {
  const deltas = calls ? [{ content: null, tool_calls: calls }] : piecesOf(work).map(content => ({ content }))
  const choices = [
    ...deltas.map(delta => ({ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: calls ? 'tool_calls' : 'stop' },
  ]
  return [...choices.map(choice => ({ choices: [choice] })), { choices: [], usage: USAGE }]
}
