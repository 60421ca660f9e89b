import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { parseJson } from '@agent-task-service/wire/untrusted'
import type { Host } from './call.ts'
import { ModelConnectionError, ModelReplyError, ProviderError } from './errors.ts'
import { bodyOf, send } from './http-client.ts'
import { ChunkParser } from './replies/chunk-parser.ts'

/** Largest reply read from a model provider, in bytes after decompression. */
const MAX_REPLY_BYTES = 16 * 2 ** 20
const MAX_REDIRECTS = 3
/** Longest part of an error's body that is read, in characters. */
const MAX_ERROR_LENGTH = 64 * 2 ** 10

/**
 * Posts a request and passes on the parsed chunks of its reply, as many as arrive together: the events of a stream, or the
 * whole reply as one chunk. The start of the body shows which it is, since servers send either under any content type.
 * Follows redirects (307, 308) within the origin, since others would carry the key elsewhere, and reads at most 16 MiB.
 *
 * @param onChunks what it throws ends the reply
 * @throws {ModelConnectionError} if no reply comes; {ProviderError} if the provider reports an error; {ModelReplyError}
 *   for a reply that does not follow the protocol; the abort reason if the signal aborts
 */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
  turn: Host['turn'],
  onChunks: (chunks: readonly unknown[]) => void,
): Promise<void> {
  const requestHeaders = {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    ...headers,
  }
  const response = await follow(url, target =>
    send(target, requestHeaders, body, signal).catch(error => {
      throw broken(error, signal)
    }),
  )
  await turn?.()
  const { statusCode: status = 0 } = response
  if (status < 200 || status > 299) throw await errorOf(response, status, signal)
  const parser = new ChunkParser()
  const pass = (chunks: readonly unknown[]) => {
    if (chunks.length > 0) onChunks(chunks)
  }
  await readText(response, signal, text => pass(parser.add(text)))
  pass(parser.end())
}

/**
 * Sends a request, and again where the server of its origin has moved it to.
 *
 * @throws {ProviderError} that names where a redirect to another origin leads
 */
async function follow(
  url: string,
  sendTo: (target: string) => Promise<IncomingMessage>,
): Promise<IncomingMessage> {
  let target = new URL(url)
  for (let redirects = 0; ; redirects += 1) {
    const response = await sendTo(target.href)
    const { statusCode: status = 0, headers } = response
    const next = URL.parse(headers.location ?? '', target.href)
    if (![307, 308].includes(status) || !next || redirects === MAX_REDIRECTS) return response
    response.destroy()
    if (next.origin !== target.origin)
      throw new ProviderError(`redirects to ${next.origin}`, { response: { status, headers: new Headers() } })
    target = next
  }
}

/** The provider's error, from a reply of a failing status. */
async function errorOf(
  response: IncomingMessage,
  status: number,
  signal: AbortSignal,
): Promise<ProviderError> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of bodyOf(response)) {
      text += decoder.decode(part, { stream: true })
      if (text.length > MAX_ERROR_LENGTH) break
    }
  } catch (error) {
    throw broken(error, signal)
  }
  const headers = new Headers(response.headers as Record<string, string>)
  return new ProviderError(parseJson(text) ?? text, { response: { status, headers } })
}

/**
 * Reads the body as text. By events, since a promise for each piece of a stream costs more than the piece.
 *
 * @param onText called as it arrives; what it throws ends the reading
 */
async function readText(
  response: IncomingMessage,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  const body = bodyOf(response)
  let bytes = 0
  const failed = Promise.withResolvers<never>()
  body.on('data', (part: Uint8Array) => {
    try {
      bytes += part.byteLength
      if (bytes > MAX_REPLY_BYTES)
        throw new ModelReplyError(`the reply is larger than ${MAX_REPLY_BYTES} bytes`, { oversized: true })
      onText(decoder.decode(part, { stream: true }))
    } catch (error) {
      failed.reject(error)
      body.destroy()
    }
  })
  const ended = finished(body).catch(error => {
    throw broken(error, signal)
  })
  await Promise.race([failed.promise, ended])
  // One turn of the event loop later, the next call can reuse the connection.
  await setImmediate()
  onText(decoder.decode())
}

/** What a failed connection is reported as: the run may have ended it. */
function broken(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? error : new ModelConnectionError(error)
}
