import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { startBackend } from '../backend.ts'
import { overResponses } from '../over-responses.ts'
import { beginning, streamed, turnFor, whole } from './manner.ts'
import type { Asked, Provider, Refusal } from './provider.ts'
import { chatOf } from './responses.ts'

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

const { url: origin } = await startBackend((response, { path: target, headers, body }) => {
  const [, number = '', path = ''] = /^\/tenant-(\d+)(.*)$/.exec(target) ?? []
  serve(tenants[Number(number)]!, path, JSON.parse(body.toString()), headers, response)
})

/** @param troubles one for each of the first requests */
export function tenant(provider: Provider, ...troubles: Trouble[]): Tenant {
  const prefix = `${origin}/tenant-${tenants.length}`
  const { base, model, env = {} } = provider
  const opened: OpenTenant = {
    provider,
    env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${prefix}${base}`, MODEL: model, ...env },
    requests: [],
    troubles,
  }
  tenants.push(opened)
  return opened
}

function serve(
  tenant: OpenTenant,
  path: string,
  asked: Asked,
  headers: IncomingHttpHeaders,
  response: ServerResponse,
) {
  const { provider, troubles, requests } = tenant
  const { manner, limited = { status: 429, body: '' }, spent } = provider
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
    written.write(beginning(chat, manner))
    response.end(provider.streamError)
    return
  }
  const type = asked.stream ? 'text/event-stream' : 'application/json'
  response.writeHead(200, { 'content-type': manner.contentType ?? type })
  written.end((asked.stream ? streamed : whole)(turnFor(chat), chat, manner))
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
  const { keyHeader, wrongModel, model, rules } = provider
  if (path !== pathOf(provider)) return provider.wrongPath ?? { status: 404, body: '' }
  const key = keyHeader ? headers[keyHeader] : headers.authorization?.replace(/^Bearer /, '')
  if (key !== KEY) return provider.wrongKey ?? { status: 401, body: '' }
  if (wrongModel && asked.model !== model) return wrongModel
  for (const rule of rules) {
    const refusal = rule(asked)
    if (refusal) return refusal
  }
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
