/** Largest reply read from a server, in bytes after decompression; the SDK's limit for a line from a program. */
const MAX_REPLY_BYTES = 10 * 2 ** 20

/** A `fetch` whose response body fails beyond 10 MiB. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.body === null) return response
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > MAX_REPLY_BYTES) throw new Error(`the reply is larger than ${MAX_REPLY_BYTES} bytes`)
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(limit), response)
}
