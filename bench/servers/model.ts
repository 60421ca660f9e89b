/**
 * An OpenAI-compatible model on 127.0.0.1, in a process of its own: asks for one sum a turn, for as many turns as it is
 * told, then answers. `PUT /conduct` tells it how to behave, `GET /received` what it was sent.
 */
import { createServer, type ServerResponse } from 'node:http'
import { tellPort } from './work.ts'

/** How it behaves from now on. */
export interface Conduct {
  readonly latencyMs: number
  /** Turns in which it asks for a tool before it answers. */
  readonly rounds: number
  /** Answers are kept back until this is false again. */
  readonly isHeld: boolean
}

export interface Received {
  readonly requests: number
  /** Of the bodies. */
  readonly bytes: number
  /** Requests kept back. */
  readonly held: number
}

let conduct: Conduct = { latencyMs: 0, rounds: 1, isHeld: false }
let requests = 0
let bytes = 0
let held: (() => void)[] = []
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

function completion(message: object, finish_reason: string): string {
  const choices = [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }]
  const id = `chatcmpl-${requests}`
  return JSON.stringify({ id, object: 'chat.completion', model: 'bench', choices, usage })
}

function decide(body: string): string {
  const done = body.split('"role":"tool"').length - 1
  if (done >= conduct.rounds) return completion({ content: '17 × 23 = 391' }, 'stop')
  const called = { name: 'calculator', arguments: '{"expression":"17*23"}' }
  return completion(
    { tool_calls: [{ id: `call_${done}`, type: 'function', function: called }] },
    'tool_calls',
  )
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  if (request.url === '/conduct') {
    conduct = JSON.parse(body)
    const kept = held
    if (!conduct.isHeld) held = []
    if (!conduct.isHeld) for (const go of kept) go()
    return answer(response, '{}')
  }
  if (request.url === '/received')
    return answer(response, JSON.stringify({ requests, bytes, held: held.length }))
  requests += 1
  bytes += Buffer.byteLength(body)
  const text = decide(body)
  if (conduct.isHeld) held.push(() => answer(response, text))
  else if (conduct.latencyMs === 0) answer(response, text)
  else setTimeout(() => answer(response, text), conduct.latencyMs)
})
server.keepAliveTimeout = 300_000
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => tellPort(server))
