/**
 * An OpenAI-compatible model on 127.0.0.1, in a separate process, which is also a collector of telemetry. Calls the calculator once per turn, for a set number of
 * turns, then answers. `PUT /conduct` sets its behaviour, `GET /received` returns what it received.
 */
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { tellPort } from './work.ts'

export interface Conduct {
  readonly latencyMs: number
  /** Turns in which it calls a tool before it answers. */
  readonly rounds: number
  /** Holds answers back until this is false again. */
  readonly isHeld: boolean
}

export interface Received {
  /** Total size of the bodies. */
  readonly bytes: number
  /** Requests held back. */
  readonly held: number
}

let conduct: Conduct = { latencyMs: 0, rounds: 1, isHeld: false }
let requests = 0
let bytes = 0
let held: (() => void)[] = []
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

/** A reply, whole or as server-sent events of one word each. */
function completion(isStreamed: boolean, message: { content?: string; tool_calls?: object[] }): string {
  const finish_reason = message.tool_calls ? 'tool_calls' : 'stop'
  const envelope = { id: `chatcmpl-${requests}`, created: 1, model: 'bench' }
  const whole = { role: 'assistant', content: null, ...message }
  if (!isStreamed) {
    const choices = [{ index: 0, message: whole, finish_reason }]
    return JSON.stringify({ ...envelope, object: 'chat.completion', choices, usage })
  }
  const words = message.content?.match(/\s*\S+/g) ?? []
  const deltas = [...words.map(content => ({ role: 'assistant', content })), { ...whole, content: '' }]
  const choices = deltas.map((delta, index) => ({
    index: 0,
    delta,
    finish_reason: index === deltas.length - 1 ? finish_reason : null,
  }))
  const chunks = [...choices.map(choice => ({ choices: [choice] })), { choices: [], usage }]
  const lines = chunks.map(chunk =>
    JSON.stringify({ ...envelope, object: 'chat.completion.chunk', ...chunk }),
  )
  return [...lines, '[DONE]'].map(line => `data: ${line}\n\n`).join('')
}

function decide(body: string, isStreamed: boolean): string {
  const done = body.split('"role":"tool"').length - 1
  if (done >= conduct.rounds) return completion(isStreamed, { content: '17 × 23 = 391' })
  // Another product each time: a run that repeats its calls is asked for its answer.
  const called = { name: 'calculator', arguments: `{"expression":"${17 + done}*23"}` }
  const call = { index: 0, id: `call_${done}`, type: 'function', function: called }
  return completion(isStreamed, { tool_calls: [call] })
}

function answer(response: ServerResponse, body: string, type = 'application/json'): void {
  response.writeHead(200, { 'content-type': type }).end(body)
}

const server = createServer(async (request, response) => {
  const body = await text(request).catch(() => undefined)
  // A server was stopped while it sent telemetry.
  if (body === undefined) return
  if (request.url === '/conduct') {
    conduct = JSON.parse(body)
    const kept = held
    if (!conduct.isHeld) held = []
    if (!conduct.isHeld) for (const go of kept) go()
    return answer(response, '{}')
  }
  if (request.url === '/received') return answer(response, JSON.stringify({ bytes, held: held.length }))
  // A collector of traces or metrics.
  if (request.url !== '/v1/chat/completions') return answer(response, '{}')
  requests += 1
  bytes += Buffer.byteLength(body)
  const isStreamed = body.includes('"stream":true')
  const reply = decide(body, isStreamed)
  const go = () => answer(response, reply, isStreamed ? 'text/event-stream' : undefined)
  if (conduct.isHeld) held.push(go)
  else if (conduct.latencyMs === 0) go()
  else setTimeout(go, conduct.latencyMs)
})
server.keepAliveTimeout = 300_000
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => tellPort(server))
