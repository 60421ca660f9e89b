import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { chatOf } from './asked.ts'
import { startBackend } from './backend.ts'
import { overResponses } from './over-responses.ts'

interface WireMessage {
  readonly role: string
  readonly content: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[]
}

/** A chat completions request as received over the socket. */
export interface ModelRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly model: string
    readonly messages: readonly WireMessage[]
    readonly tools?: readonly { function: { name: string } }[]
    readonly tool_choice?: unknown
    readonly response_format?: unknown
    readonly stream?: boolean
    readonly max_tokens?: number
    readonly max_completion_tokens?: number
  }
  /** Resolves when the client's socket closes. */
  readonly closed: Promise<void>
}

/** How the server handles one request; `openai-replies.ts` has the factories. */
export type Reply = (response: ServerResponse, request: ModelRequest) => void
/** The API over which the service asks these servers; absent: the one it chooses itself. */
const api = process.env.TESTED_API
// Loading it takes a second, which tests of time limits have not.
if (api) await import('../openai-compatible/requests/responses-request.ts')

/** Picks the reply to each request; a throw becomes HTTP 418, which no client retries. */
export type Script = (request: ModelRequest, index: number) => Reply | Promise<Reply>

export interface OpenAIServer {
  /** The service's environment for this server. */
  readonly env: { OPENAI_API_KEY: string; OPENAI_BASE_URL: string; MODEL: string; OPENAI_API?: string }
  readonly requests: readonly ModelRequest[]
  /** The request with this index, once it has fully arrived. */
  arrival(index: number): Promise<ModelRequest>
}

/**
 * An OpenAI-compatible server on 127.0.0.1, for misbehaviour that ordinary mocks cannot produce. It lives as long as
 * the worker, so its address is never reused: the service caches what an address supports.
 */
export async function openAIServer(script: Script): Promise<OpenAIServer> {
  const requests: ModelRequest[] = []
  const arrivals: PromiseWithResolvers<ModelRequest>[] = []
  const arrival = (index: number) => (arrivals[index] ??= Promise.withResolvers())
  const { url } = await startBackend(async (response, { headers, body, closed }) => {
    const asked = JSON.parse(body.toString())
    const isResponses = api === 'responses' && 'input' in asked
    const request = { headers, body: isResponses ? inChat(asked) : asked, closed }
    const index = requests.push(request) - 1
    arrival(index).resolve(request)
    const reply = await decide(script, request, index)
    reply(isResponses ? overResponses(response) : response, request)
  })
  const env = {
    OPENAI_API_KEY: 'sk-proj-Rk7dWq92LmZx04TbVn',
    OPENAI_BASE_URL: `${url}/v1`,
    MODEL: 'first-model',
    ...(api && { OPENAI_API: api }),
  }
  return { env, requests, arrival: index => arrival(index).promise }
}

/** The service's environment for a server as the fallback. */
export function fallbackTo({ env }: OpenAIServer, model = 'second'): Record<string, string> {
  return {
    FALLBACK_MODEL: model,
    FALLBACK_BASE_URL: env.OPENAI_BASE_URL,
    FALLBACK_API_KEY: 'key-of-the-second',
  }
}

/** The request as chat completions have it, for tests of what both APIs promise. */
function inChat({ max_output_tokens: max_tokens, ...asked }: Parameters<typeof chatOf>[0]) {
  const { max_completion_tokens: _, ...body } = chatOf(asked)
  return { ...body, ...(max_tokens !== undefined && { max_tokens }) } as ModelRequest['body']
}

/** Gives these replies in order, one per request. */
export function inTurn(...replies: readonly Reply[]): Script {
  return (_request, index) => {
    const reply = replies[index]
    if (reply === undefined) throw new Error(`the script has ${replies.length} replies`)
    return reply
  }
}

const outOfScript: Reply = response => {
  response.writeHead(418, { 'content-type': 'application/json' })
  response.end('{"error":{"message":"the script has run out"}}')
}

async function decide(script: Script, request: ModelRequest, index: number): Promise<Reply> {
  try {
    return await script(request, index)
  } catch {
    return outOfScript
  }
}
