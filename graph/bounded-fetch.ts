import { MAX_REPLY_BYTES } from './json-post.ts'
import { ModelConnectionError, ModelReplyError } from './model-error.ts'
import { turn } from './turns.ts'

/**
 * `fetch` for model providers: no redirects (a key is not carried elsewhere, and a loop ends at once),
 * no reply larger than 16 MiB, and connection faults told apart from faults of our own.
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
  await turn()
  if (response.body === null || isKnownToBeSmall(response.headers)) return response
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(byteLimit()), { status, statusText, headers })
}

/** A declared length binds the sender, unless the body is compressed. */
function isKnownToBeSmall(headers: Headers): boolean {
  const length = headers.get('content-length')
  return length !== null && !headers.has('content-encoding') && Number(length) <= MAX_REPLY_BYTES
}

function byteLimit(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > MAX_REPLY_BYTES)
        throw new ModelReplyError(`the reply is larger than ${MAX_REPLY_BYTES} bytes`, { oversized: true })
      controller.enqueue(chunk)
    },
  })
}
