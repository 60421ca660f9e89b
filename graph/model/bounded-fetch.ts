import { fairShare } from '../run/fair-share.ts'
import { ModelConnectionError, ModelReplyError } from './model-error.ts'
import { asStream, type Completion, checked } from './openai-reply.ts'

/** Largest reply read from a model provider, in bytes after decompression. */
const MAX_REPLY_BYTES = 16 * 2 ** 20

/**
 * `fetch` for model providers: no redirects (a key is not carried elsewhere, and a loop ends at once), no reply larger
 * than 16 MiB, and connection faults distinct from faults of our own. A server that was asked for a stream and sends
 * its reply whole is read all the same.
 *
 * @throws {ModelConnectionError} when no reply comes; the abort reason as it is when the signal aborts
 */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(input, { ...init, redirect: 'manual' })
  } catch (error) {
    throw init?.signal?.aborted ? error : new ModelConnectionError(error)
  }
  await fairShare()
  const bounded = isKnownToBeSmall(response.headers) ? response : withByteLimit(response)
  const isWhole = response.ok && /\bjson\b/i.test(response.headers.get('content-type') ?? '')
  const isStreamWanted = typeof init?.body === 'string' && /"stream":true/.test(init.body)
  if (!isWhole || !isStreamWanted) return bounded
  const body = asStream(checked(await completionIn(bounded, init)))
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

async function completionIn(response: Response, init: RequestInit | undefined): Promise<Completion> {
  try {
    return (await response.json()) as Completion
  } catch (error) {
    if (init?.signal?.aborted || error instanceof ModelReplyError) throw error
    if (error instanceof SyntaxError) throw new ModelReplyError('the reply is not the JSON it says it is')
    throw new ModelConnectionError(error)
  }
}

/** A declared length binds the sender, unless the body is compressed. */
function isKnownToBeSmall(headers: Headers): boolean {
  const length = headers.get('content-length')
  return length !== null && !headers.has('content-encoding') && Number(length) <= MAX_REPLY_BYTES
}

function withByteLimit(response: Response): Response {
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > MAX_REPLY_BYTES)
        throw new ModelReplyError(`the reply is larger than ${MAX_REPLY_BYTES} bytes`, { oversized: true })
      controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body?.pipeThrough(limit) ?? null, { status, statusText, headers })
}
