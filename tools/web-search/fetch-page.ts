import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { connectOutside, type OutsideRules, PageError } from './outside.ts'
import { MAX_PAGE_BYTES } from './passages.ts'

/** A page as fetched. */
export interface PageContent {
  /** Media type in lower case, without parameters; '' if none is declared. */
  readonly type: string
  readonly charset: string | undefined
  readonly bytes: Uint8Array<ArrayBuffer>
}

const MAX_REDIRECTS = 3
const READABLE = /^(?:|text\/.*|application\/(?:xhtml\+xml|xml|json|pdf))$/
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

export interface PageRules extends OutsideRules {
  /** The User-Agent header. */
  readonly userAgent: string
}

/**
 * Fetches a page from the web, without cookies, referrer, credentials or proxy.
 *
 * @throws {PageError} for a refused address, a status other than 200, or content that is not text
 */
export async function fetchPage(
  address: string,
  rules: PageRules,
  signal: AbortSignal,
): Promise<PageContent> {
  let url = new URL(address)
  for (let redirects = 0; ; redirects += 1) {
    const response = await get(url, rules, signal)
    const { statusCode = 0, headers } = response
    if (![301, 302, 303, 307, 308].includes(statusCode)) return await contentOf(response)
    response.destroy()
    const target = headers.location === undefined ? null : URL.parse(headers.location, url.href)
    if (!target) throw new PageError('redirects to nowhere')
    if (redirects === MAX_REDIRECTS) throw new PageError(`redirects more than ${MAX_REDIRECTS} times`)
    url = target
  }
}

async function get(url: URL, rules: PageRules, signal: AbortSignal): Promise<IncomingMessage> {
  const socket = await connectOutside(url, rules, signal)
  const request = httpRequest({
    createConnection: () => socket,
    path: url.pathname + url.search,
    signal,
    headers: {
      host: url.host,
      'user-agent': rules.userAgent,
      accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.9,application/json;q=0.5',
      'accept-encoding': 'gzip, br',
    },
  })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  // If the signal aborts while the body is read, the reader gets the error; here it would crash the process.
  request.on('error', () => {})
  return response
}

async function contentOf(response: IncomingMessage): Promise<PageContent> {
  const { statusCode, headers } = response
  try {
    if (statusCode !== 200) throw new PageError(`answered with HTTP ${statusCode}`)
    const [declared = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
    const type = declared.trim()
    if (!READABLE.test(type)) throw new PageError('is no text')
    const charset = /^\s*charset\s*=\s*"?([\w.:-]+)/.exec(
      parameters.find(one => /^\s*charset/.test(one)) ?? '',
    )?.[1]
    return { type, charset, bytes: await bytesOf(response) }
  } finally {
    response.destroy()
  }
}

async function bytesOf(response: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(MAX_PAGE_BYTES)
  let length = 0
  for await (const chunk of decoded(response)) {
    bytes.set((chunk as Buffer).subarray(0, MAX_PAGE_BYTES - length), length)
    length = Math.min(MAX_PAGE_BYTES, length + (chunk as Buffer).length)
    if (length === MAX_PAGE_BYTES) break
  }
  return bytes.slice(0, length)
}

function decoded(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  const decoder = DECODERS[encoding]?.()
  if (!decoder) throw new PageError('is compressed in a way that was not asked for')
  response.once('error', error => (decoder as unknown as Readable).destroy(error))
  return response.pipe(decoder) as unknown as Readable
}
