import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { parseJson } from '@agent-task-service/untrusted/json'
import { createParser } from 'eventsource-parser'
import { ModelConnectionError, ModelReplyError, ProviderError } from './errors.ts'
import type { Host } from './host.ts'
import { bodyOf, send } from './http-client.ts'

/** Largest reply read from a model provider, in bytes after decompression. */
const MAX_REPLY_BYTES = 16 * 2 ** 20
/** Longest part of an error's body that is read, in characters. */
const MAX_ERROR_LENGTH = 64 * 2 ** 10

/**
 * Posts a request and yields the parsed chunks of its reply, as many as arrive together: the events of a stream, or the
 * whole reply as one chunk. The start of the body shows which it is, since servers send either under any content type.
 * Follows no redirects, which would carry the key elsewhere, and reads at most 16 MiB.
 *
 * @throws {ModelConnectionError} if no reply comes; {ProviderError} if the provider reports an error; {ModelReplyError}
 *   for a reply that does not follow the protocol; the abort reason if the signal aborts
 */
export async function* post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal | undefined,
  turn: Host['turn'],
): AsyncGenerator<readonly unknown[]> {
  const requestHeaders = {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    ...headers,
  }
  const response = await send(url, requestHeaders, body, signal).catch(error => {
    throw broken(error, signal)
  })
  await turn?.()
  const { statusCode: status = 0 } = response
  if (status < 200 || status > 299) throw await errorOf(response, status, signal)
  const parser = new ChunkParser()
  for await (const piece of pieces(response, signal)) {
    const chunks = parser.add(piece)
    if (chunks.length > 0) yield chunks
  }
  const rest = parser.end()
  if (rest.length > 0) yield rest
}

/** The provider's error, from a reply of a failing status. */
async function errorOf(
  response: IncomingMessage,
  status: number,
  signal: AbortSignal | undefined,
): Promise<ProviderError> {
  let text = ''
  for await (const piece of pieces(response, signal)) {
    text += piece
    if (text.length > MAX_ERROR_LENGTH) break
  }
  const headers = new Headers(response.headers as Record<string, string>)
  return new ProviderError(parseJson(text) ?? text, { response: { status, headers } })
}

/** Parses a body as it arrives: the events of a stream, or one JSON value. Throws a `ModelReplyError` for anything else. */
class ChunkParser {
  /** Absent until more than white space has come. */
  #isStream: boolean | undefined
  #json = ''
  /** The last line of a stream, while it is incomplete. */
  #line = ''
  #chunks: unknown[] = []
  readonly #events = createParser({
    onEvent: ({ event, data }) => {
      const chunk = data === '[DONE]' ? data : expectJson(data, 'an event of the stream is not JSON')
      this.#chunks.push(event === 'error' ? { error: chunk } : chunk)
    },
    // llama.cpp sends errors in a field named `error`.
    onError: ({ field, value = '' }) => {
      if (field === 'error')
        this.#chunks.push({ error: expectJson(value, 'an error of the stream is not JSON') })
    },
  })

  /** @returns the chunks that are complete with this piece */
  add(piece: string): unknown[] {
    const text = this.#isStream === undefined ? piece.trimStart() : piece
    if (text === '') return []
    this.#isStream ??= !/^[{[<]/.test(text)
    if (this.#isStream) this.#feed(text)
    else this.#json += text
    return this.#take()
  }

  /** @returns the chunks that were complete only with the end of the body */
  end(): unknown[] {
    // The last event may lack its final blank line.
    if (this.#isStream) this.#feed('\n\n')
    else this.#chunks.push(expectJson(this.#json, 'the reply is not JSON'))
    return this.#take()
  }

  /** Gives the parser whole lines only: it drops one that comes in two pieces if it does not know the line's field. */
  #feed(text: string): void {
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    if (end > 0) {
      this.#events.feed(this.#line + text.slice(0, end))
      this.#line = ''
    }
    this.#line += text.slice(end)
  }

  #take(): unknown[] {
    const chunks = this.#chunks
    this.#chunks = []
    return chunks
  }
}

function expectJson(text: string, otherwise: string): unknown {
  const value = parseJson(text)
  if (value === undefined) throw new ModelReplyError(otherwise)
  return value
}

/** The body as text, as it arrives. */
async function* pieces(response: IncomingMessage, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let bytes = 0
  try {
    for await (const part of bodyOf(response)) {
      bytes += part.byteLength
      if (bytes > MAX_REPLY_BYTES)
        throw new ModelReplyError(`the reply is larger than ${MAX_REPLY_BYTES} bytes`, { oversized: true })
      yield decoder.decode(part, { stream: true })
    }
  } catch (error) {
    throw error instanceof ModelReplyError ? error : broken(error, signal)
  }
  // One turn of the event loop later, the next call can reuse the connection.
  await setImmediate()
  yield decoder.decode()
}

/** What a failed connection is reported as: the run may have ended it. */
function broken(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? error : new ModelConnectionError(error)
}
