import type { z } from 'zod'
import { ToolError } from '../tool.ts'
import type { Endpoint } from './endpoint.ts'
import { httpFailure, type StatusHints } from './http-failure.ts'

/** The most a reply may hold once decompressed, in bytes. Five results take 5 to 100 kB, with their pages up to a few MB. */
export const MAX_REPLY_BYTES = 4 * 2 ** 20

export interface JsonRequest<Reply> {
  readonly endpoint: Endpoint
  readonly address: URL
  /** Sent as JSON with POST; without it the request is a GET. */
  readonly body?: unknown
  /** What the reply must look like. */
  readonly schema: z.ZodType<Reply>
  /** What a status means with this engine, where it says more than the status alone. */
  readonly statusHints?: StatusHints
}

/**
 * One request, one JSON reply, with memory bounded by {@link MAX_REPLY_BYTES}.
 *
 * Messages are built from the host, the status and error codes only. The text of a network error or of a
 * reply is never quoted: it can repeat the key or the password.
 *
 * @param signal ends the request and the reading of the body; the caller tells why from the signal
 * @throws {ToolError} for everything an engine or the network can do wrong
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
      // Followed redirects would hand X-Subscription-Token to any host the reply names.
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
    // `fetch` has decompressed the chunks: a small reply that unpacks to gigabytes is stopped here too.
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > MAX_REPLY_BYTES)
        throw new ToolError(`${host} sent more than 4 MB, which is no search reply.`)
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

/** ` (ECONNREFUSED)`, or nothing when the error names no system code. */
function errorCode(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? ` (${code})` : ''
}
