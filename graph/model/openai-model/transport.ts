import { setImmediate } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { fairShare } from '../../run/fair-share.ts'
import { ModelConnectionError, ModelReplyError, ProviderError } from '../model-error.ts'

/** Largest reply read from a model provider, in bytes after decompression. */
const MAX_REPLY_BYTES = 16 * 2 ** 20
/** What is read of the body of an error, in characters. */
const MAX_ERROR_LENGTH = 64 * 2 ** 10

/**
 * Posts a request, and yields the chunks of its reply, parsed: the events of a stream, or one chunk that is the whole
 * reply. Which of them came is told by how the body begins: servers send either under any content type. No redirects: a
 * key is not carried elsewhere. No reply larger than 16 MiB.
 *
 * @throws {ModelConnectionError} when no reply comes; {ProviderError} where the provider reports an error; {ModelReplyError}
 *   for a reply that is none; the abort reason when the signal aborts
 */
export async function* post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown> {
  const response = await unlessBroken(signal, () =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        ...headers,
      },
      body,
      redirect: 'manual',
      signal: signal ?? null,
    }),
  )
  await fairShare()
  if (!response.ok) {
    let text = ''
    for await (const piece of pieces(response, signal)) {
      text += piece
      if (text.length > MAX_ERROR_LENGTH) break
    }
    throw ProviderError.ofResponse(response, text)
  }
  let text = ''
  let isStream: boolean | undefined
  const chunks: unknown[] = []
  const parser = createParser({
    onEvent({ event, data }) {
      const chunk = data === '[DONE]' ? data : parsed(data, 'an event of the stream is not JSON')
      chunks.push(event === 'error' ? { error: chunk } : chunk)
    },
    // llama.cpp has put errors into a field of their own.
    onError({ field, value = '' }) {
      if (field === 'error') chunks.push({ error: parsed(value, 'an error of the stream is not JSON') })
    },
  })
  for await (const piece of pieces(response, signal)) {
    if (isStream === undefined) {
      text = piece.trimStart()
      if (text === '') continue
      isStream = !/^[{[<]/.test(text)
      if (isStream) parser.feed(text)
    } else if (isStream) parser.feed(piece)
    else text += piece
    for (const chunk of chunks.splice(0)) yield chunk
  }
  // A last event may come without the blank line behind it.
  if (isStream) parser.feed('\n\n')
  else yield parsed(text, 'the reply is not the JSON it says it is')
  yield* chunks
}

function parsed(text: string, otherwise: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ModelReplyError(otherwise)
  }
}

/** The body as text, as it comes. */
async function* pieces(response: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let bytes = 0
  try {
    for (;;) {
      const part = await unlessBroken(signal, async () => await reader?.read())
      if (!part || part.done) break
      bytes += part.value.byteLength
      if (bytes > MAX_REPLY_BYTES)
        throw new ModelReplyError(`the reply is larger than ${MAX_REPLY_BYTES} bytes`, { oversized: true })
      yield decoder.decode(part.value, { stream: true })
    }
    // In its next turn the connection is free for the call that follows.
    await setImmediate()
    yield decoder.decode()
  } finally {
    // Of a reply that is not read to its end, the connection cannot be used again.
    await reader?.cancel().catch(() => undefined)
  }
}

async function unlessBroken<Value>(
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw signal?.aborted ? error : new ModelConnectionError(error)
  }
}
