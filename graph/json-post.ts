import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http'
import { request as secureRequest } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { ModelConnectionError, ModelReplyError, ModelStatusError } from './model-error.ts'
import { turn } from './turns.ts'

/** Largest reply read from a model provider, in bytes after decompression. */
export const MAX_REPLY_BYTES = 16 * 2 ** 20

type Decompress = (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const DECOMPRESS: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip) as Decompress,
  deflate: promisify(inflate) as Decompress,
  br: promisify(brotliDecompress) as Decompress,
}
const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': Object.keys(DECOMPRESS).join(', '),
}

/**
 * An address of a model provider that takes JSON, over Node's own HTTP client, which costs less than `fetch`.
 * Connections are kept, and proxied as `NODE_USE_ENV_PROXY` has it. Redirects are not followed: a key is not carried
 * elsewhere, and a loop ends at once.
 */
export class JsonEndpoint {
  readonly #request: typeof plainRequest
  readonly #options: RequestOptions

  /** @param headers that all requests have */
  constructor(url: string, headers: Readonly<Record<string, string>>) {
    const target = urlToHttpOptions(new URL(url))
    this.#request = target.protocol === 'https:' ? secureRequest : plainRequest
    this.#options = { ...target, method: 'POST', headers: { ...JSON_HEADERS, ...headers } }
  }

  /**
   * Sends JSON and reads the JSON that comes back.
   *
   * @throws {ModelConnectionError} where no reply comes, or not all of it
   * @throws {ModelStatusError} for a status that is not 2xx
   * @throws {ModelReplyError} for a reply larger than 16 MiB, or of another type than JSON
   * @throws {SyntaxError} for a reply that only says it is JSON
   */
  async post(content: object, signal: AbortSignal | undefined): Promise<unknown> {
    const response = await this.#send(JSON.stringify(content), signal)
    const bytes = await decompressed(response, await bytesOf(response))
    await turn()
    const { statusCode = 0 } = response
    const text = bytes.toString()
    if (statusCode < 200 || statusCode > 299)
      throw new ModelStatusError(statusCode, codeIn(text), response.headers['retry-after'])
    if (!/\bjson\b/i.test(response.headers['content-type'] ?? ''))
      throw new ModelReplyError('the reply is of another type than JSON')
    return JSON.parse(text)
  }

  #send(body: string, signal: AbortSignal | undefined): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = this.#request(this.#options, resolve)
      // Node's option `signal` does this too, and watches for the end of both streams besides, which costs more.
      const cancel = () => request.destroy(signal?.reason)
      signal?.addEventListener('abort', cancel)
      request
        .on('close', () => signal?.removeEventListener('abort', cancel))
        .on('error', error => reject(new ModelConnectionError(error)))
        .end(body)
      if (signal?.aborted) cancel()
    })
  }
}

function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    response
      .on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.byteLength
        if (length > MAX_REPLY_BYTES) response.destroy(oversized())
      })
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', error =>
        reject(error instanceof ModelReplyError ? error : new ModelConnectionError(error)),
      )
  })
}

async function decompressed({ headers }: IncomingMessage, bytes: Buffer): Promise<Buffer> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity') return bytes
  const decompress = DECOMPRESS[encoding]
  if (!decompress) throw new ModelReplyError('the reply is in an encoding that was not asked for')
  try {
    return await decompress(bytes, { maxOutputLength: MAX_REPLY_BYTES })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge ? oversized() : new ModelConnectionError(error)
  }
}

function oversized(): ModelReplyError {
  return new ModelReplyError(`the reply is larger than ${MAX_REPLY_BYTES} bytes`, { oversized: true })
}

/** The code in a provider's error, where there is one. */
function codeIn(text: string): unknown {
  try {
    return JSON.parse(text)?.error?.code
  } catch {
    return undefined
  }
}
