import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { z } from 'zod'
import { ToolError } from '../tool.ts'
import type { Endpoint } from './endpoint.ts'
import { readBytes } from './fetch-page.ts'

/** Largest reply after decompression, in bytes. Five results take 5 to 100 kB, or up to a few MB with their pages. */
export const MAX_REPLY_BYTES = 4 * 2 ** 20

export interface JsonRequest<Reply> {
  readonly endpoint: Endpoint
  readonly address: URL
  /** Sent as JSON with POST; without it the request is a GET. */
  readonly body?: unknown
  /** The expected shape of the reply. */
  readonly schema: z.ZodType<Reply>
  /** What a status means for this engine, to follow its host. */
  readonly statusHints?: Readonly<Record<number, string>>
}

/**
 * Sends a request and reads its JSON reply, of at most {@link MAX_REPLY_BYTES}.
 *
 * Error messages contain only the host, the status and error codes. They never quote a network error or a reply, which
 * may repeat the key.
 *
 * @param signal ends the request and the reading of the body; the caller can tell why from the signal
 * @throws {ToolError} for every failure of the engine or the network
 */
export async function fetchJson<Reply>(request: JsonRequest<Reply>, signal: AbortSignal): Promise<Reply> {
  const { endpoint, address, schema, statusHints = {} } = request
  const response = await send(request, signal)
  if (response.statusCode !== 200) {
    const { statusCode: status = 0 } = response.destroy()
    throw new ToolError(`${address.host} ${statusHints[status] ?? meaning(status)} (HTTP ${status}).`)
  }
  const text = await readText(response, endpoint.host)
  const parsed = schema.safeParse(parseJson(text, endpoint.host))
  if (!parsed.success) throw new ToolError(`${endpoint.host} answered with JSON that is not a search reply.`)
  return parsed.data
}

function meaning(status: number): string {
  // Tavily's own.
  if (status === 432 || status === 433) return 'has used up its plan: go on without web search'
  if (status >= 300 && status < 400) return 'redirects, which web_search does not follow'
  if (status === 401 || status === 403)
    return 'refused access; its key or permission must be checked by whoever runs this service'
  if (status === 429) return 'is limiting requests; try again later or go on without'
  return status >= 500 ? 'failed; try again later or go on without' : 'did not accept the search'
}

/** Follows no redirect, which would send `X-Subscription-Token` to whatever host it names. */
async function send(
  { endpoint, address, body }: JsonRequest<unknown>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const request = (address.protocol === 'https:' ? https : http).request(address, {
    method: sent === undefined ? 'GET' : 'POST',
    headers: {
      ...endpoint.headers,
      'accept-encoding': 'gzip, br',
      ...(sent !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(sent),
      }),
    },
    agent: endpoint.proxy?.agentFor(address),
    signal,
  })
  try {
    request.end(sent)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  } catch (error) {
    throw new ToolError(`${endpoint.host} could not be reached${errorCode(error)}.`)
  } finally {
    // What fails from here on fails the body too.
    request.on('error', () => {})
  }
}

async function readText(response: IncomingMessage, host: string): Promise<string> {
  try {
    const bytes = await readBytes(response, MAX_REPLY_BYTES + 1)
    if (bytes.length <= MAX_REPLY_BYTES) return new TextDecoder().decode(bytes)
  } catch (error) {
    throw new ToolError(`${host} broke off in the middle of its reply${errorCode(error)}.`)
  }
  throw new ToolError(`${host} sent more than 4 MB, too much for a search reply.`)
}

function parseJson(text: string, host: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const kind = /^\s*</.test(text) ? 'an HTML page' : 'something'
    throw new ToolError(
      `${host} answered with ${kind} that is not JSON: it may be down or not a search engine.`,
    )
  }
}

/** ` (ECONNREFUSED)`, or nothing if the error has no system code. */
function errorCode(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? ` (${code})` : ''
}

/** A list that drops its unusable members, but fails if all of them are. */
export function listOf<Item>(item: z.ZodType<Item>): z.ZodType<Item[]> {
  return z.array(z.unknown()).transform((members, context) => {
    const usable = members.flatMap(member => {
      const parsed = item.safeParse(member)
      return parsed.success ? [parsed.data] : []
    })
    if (members.length > 0 && usable.length === 0)
      context.addIssue({ code: 'custom', message: 'no member has the expected shape' })
    return usable
  })
}

/** A string that engines omit or send as `null` if they have none. */
export const optionalText = z
  .string()
  .nullish()
  .transform(text => text ?? '')
