import type { z } from 'zod'
import { ToolError } from '../tool.ts'
import type { Endpoint } from './endpoint.ts'
import { httpFailure, type StatusHints } from './http-failure.ts'

/** Largest reply after decompression, in bytes. Five results take 5 to 100 kB, or up to a few MB with their pages. */
export const MAX_REPLY_BYTES = 4 * 2 ** 20

export interface JsonRequest<Reply> {
  readonly endpoint: Endpoint
  readonly address: URL
  /** Sent as JSON with POST; without it the request is a GET. */
  readonly body?: unknown
  /** The expected shape of the reply. */
  readonly schema: z.ZodType<Reply>
  /** Statuses that have a special meaning for this engine. */
  readonly statusHints?: StatusHints
}

/**
 * Sends a request and reads its JSON reply, of at most {@link MAX_REPLY_BYTES}.
 *
 * Error messages contain only the host, the status and error codes. They never quote a network error or a reply, which
 * may repeat the key or the password.
 *
 * @param signal ends the request and the reading of the body; the caller can tell why from the signal
 * @throws {ToolError} for every failure of the engine or the network
 */
export async function fetchJson<Reply>(request: JsonRequest<Reply>, signal: AbortSignal): Promise<Reply> {
  const { endpoint, schema, statusHints = {} } = request
  const response = await send(request, signal)
  if (response.status !== 200) throw httpFailure(response, endpoint.host, statusHints)
  const text = await readText(response, endpoint.host)
  const parsed = schema.safeParse(parseJson(text, endpoint.host))
  if (!parsed.success) throw new ToolError(`${endpoint.host} answered with JSON that is not a search reply.`)
  return parsed.data
}

async function send(
  { endpoint, address, body }: JsonRequest<unknown>,
  signal: AbortSignal,
): Promise<Response> {
  const headers = new Headers(endpoint.headers)
  if (body !== undefined) headers.set('content-type', 'application/json')
  try {
    return await fetch(address, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      // Following a redirect would send X-Subscription-Token to whatever host it names.
      redirect: 'manual',
      signal,
    })
  } catch (error) {
    throw new ToolError(`${endpoint.host} could not be reached${errorCode(error)}.`)
  }
}

async function readText(response: Response, host: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    // `fetch` yields decompressed chunks, so this also stops a small reply that unpacks to gigabytes.
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > MAX_REPLY_BYTES)
        throw new ToolError(`${host} sent more than 4 MB, too much for a search reply.`)
      text += decoder.decode(chunk, { stream: true })
    }
  } catch (error) {
    if (error instanceof ToolError) throw error
    throw new ToolError(`${host} broke off in the middle of its reply${errorCode(error)}.`)
  }
  return text + decoder.decode()
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
