import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { type Asked, chatOf } from '@agent-task-service/test-support/asked'
import { type BackendRequest, startBackend } from '@agent-task-service/test-support/backend'
import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { overResponses } from '@agent-task-service/test-support/over-responses'
import type { Provider, Refusal } from './provider.ts'

export const KEY = 'the-right-key-4711'

/** What goes wrong with one request, whatever its content. */
export type Trouble = 'limited' | 'stream_error' | 'spent'

export interface Served {
  readonly asked: Asked
  readonly headers: IncomingHttpHeaders
  /** Its refusal; `undefined`: it was served. */
  readonly refusal: Refusal | undefined
}

/** One provider of the table, for one test. */
export interface Tenant {
  readonly provider: Provider
  /** The service's environment for it. */
  readonly env: Readonly<Record<string, string>>
  readonly requests: readonly Served[]
}

interface OpenTenant extends Tenant {
  readonly requests: Served[]
  readonly troubles: Trouble[]
}

const tenants: OpenTenant[] = []

const { url: origin } = await startBackend((response, request) => {
  const [, number = '', path = ''] = /^\/tenant-(\d+)(.*)$/.exec(request.path) ?? []
  serve(tenants[Number(number)]!, { ...request, path }, response)
})

/**
 * A provider whose model adds numbers by a tool, twice at once, then answers.
 *
 * @param troubles one for each of the first requests
 */
export function tenant(provider: Provider, ...troubles: Trouble[]): Tenant {
  const prefix = `${origin}/tenant-${tenants.length}`
  const { base, model, api } = provider
  const opened: OpenTenant = {
    provider,
    env: {
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: `${prefix}${base}`,
      MODEL: model,
      ...(api && { OPENAI_API: api }),
    },
    requests: [],
    troubles,
  }
  tenants.push(opened)
  return opened
}

function serve(tenant: OpenTenant, request: BackendRequest, response: ServerResponse) {
  const { provider, troubles, requests } = tenant
  const { limited = { status: 429, body: '' }, spent, streamError } = provider
  const { path, headers, closed } = request
  const asked: Asked = JSON.parse(request.body.toString())
  const trouble = troubles.shift()
  const refuse = (refusal: Refusal) => {
    requests.push({ asked, headers, refusal })
    send(response, refusal)
  }
  if (trouble === 'limited') return refuse(limited)
  if (trouble === 'spent' && spent) return refuse(spent)
  const refusal = refusalOf(provider, path, asked, headers)
  if (refusal) return refuse(refusal)
  requests.push({ asked, headers, refusal })
  const isResponses = provider.api === 'responses'
  const chat = isResponses ? chatOf(asked) : asked
  const written = isResponses ? overResponses(response) : response
  if (trouble === 'stream_error') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const choice = { index: 0, delta: { role: 'assistant', content: 'Half an ans' }, finish_reason: null }
    written.write(`data: ${JSON.stringify({ id: 'c', choices: [choice] })}\n\n`)
    response.end(streamError)
    return
  }
  const isAnswered = chat.messages.some(({ role }) => role === 'tool')
  const calls = [call('add', { a: 1, b: 2 }), call('add', { a: 3, b: 4 })]
  const reply = isAnswered ? says('The sums are 3 and 7.') : asks(calls)
  reply(written, { headers, body: chat as never, closed })
}

/** The path of completions, before the base's query. */
function pathOf({ base, api }: Provider): string {
  const [folder = '', query] = base.split('?')
  const name = api === 'responses' ? 'responses' : 'chat/completions'
  return `${folder.replace(/\/$/, '')}/${name}${query ? `?${query}` : ''}`
}

/** The provider's objection to a request; in the order in which servers check. */
function refusalOf(
  provider: Provider,
  path: string,
  asked: Asked,
  headers: IncomingHttpHeaders,
): Refusal | undefined {
  const { keyHeader, wrongModel, model } = provider
  if (path !== pathOf(provider)) return provider.wrongPath ?? { status: 404, body: '' }
  const key = keyHeader ? headers[keyHeader] : headers.authorization?.replace(/^Bearer /, '')
  if (key !== KEY) return provider.wrongKey ?? { status: 401, body: '' }
  if (wrongModel && asked.model !== model) return wrongModel
  return objectionToSize(provider, asked)
}

/** The objection to too high a cap, or to too long a conversation. */
function objectionToSize({ cap, context }: Provider, asked: Asked): Refusal | undefined {
  const tokens = Number(asked.max_output_tokens ?? asked.max_completion_tokens ?? asked.max_tokens ?? 0)
  if (cap && tokens > cap.largest) return cap.refuse(tokens)
  const length = JSON.stringify(asked.messages ?? asked.input).length
  if (context && length > 4 * context.largest) return context.refuse(Math.round(length / 4))
  return undefined
}

function send(response: ServerResponse, { status, body, headers }: Refusal): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_4711', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
