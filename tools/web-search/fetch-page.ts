import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { connectOutside, expectOutside, isPrivate, type OutsideRules, PageError } from './outside.ts'
import { MAX_PAGE_BYTES } from './passages.ts'

/** A page as fetched. */
export interface PageContent {
  /** Media type in lower case, without parameters; '' if none is declared. */
  readonly type: string
  readonly charset: string | undefined
  readonly bytes: Uint8Array<ArrayBuffer>
}

const MAX_REDIRECTS = 3
/** How much more than the page itself may be sent, in bytes, besides as much again: chunk sizes, blank lines, headers. */
const MAX_OVERHEAD = 256 * 1024
/** How often that is looked at, in milliseconds. */
const WATCH_MS = 50
const READABLE = /^(?:|text\/.*|application\/(?:xhtml\+xml|xml|json|pdf|octet-stream))$/
const DECODERS: Readonly<Record<string, () => Duplex>> = {
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
 * Fetches a page from the web, without cookies, referrer or credentials.
 *
 * @throws {PageError} for a refused address, a status other than 200, or content that is not text
 */
export async function fetchPage(
  address: string,
  rules: PageRules,
  signal: AbortSignal,
): Promise<PageContent> {
  let url = new URL(address)
  let allowed = rules
  for (let redirects = 0; ; redirects += 1) {
    const { response, count } = await get(url, allowed, signal)
    const { statusCode = 0, headers } = response
    if (![301, 302, 303, 307, 308].includes(statusCode)) return await contentOf(response, count)
    response.destroy()
    const target = headers.location === undefined ? null : URL.parse(headers.location, url.href)
    if (!target) throw new PageError('redirects to nowhere')
    if (redirects === MAX_REDIRECTS) throw new PageError(`redirects more than ${MAX_REDIRECTS} times`)
    // The public web must not lead inside.
    if (!isPrivate(url, allowed)) allowed = { ...rules, privateHosts: [] }
    url = target
  }
}

interface Reply {
  readonly response: IncomingMessage
  /** To be told of each piece of the body. */
  count(piece: Buffer): void
}

async function get(url: URL, rules: PageRules, signal: AbortSignal): Promise<Reply> {
  const agent = rules.proxy?.agentFor(url)
  if (agent) expectOutside(url, rules)
  const socket = agent ? undefined : await connectOutside(url, rules, signal)
  const request = (agent && url.protocol === 'https:' ? https : http).request({
    ...(agent ? { agent, host: url.hostname, port: url.port } : { createConnection: () => socket }),
    path: url.pathname + url.search,
    signal,
    headers: {
      host: url.host,
      'user-agent': rules.userAgent,
      accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.9,application/json;q=0.5',
      'accept-encoding': 'gzip, br',
    },
  })
  let count: Reply['count'] = () => {}
  request.once('socket', socket => {
    count = limitOverhead(socket)
  })
  request.end()
  const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
  // If the signal aborts while the body is read, the reader gets the error; here it would crash the process.
  request.on('error', () => {})
  return { response, count }
}

/** Closes a connection on which too much arrives that is no part of a page, in whatever form. */
function limitOverhead(socket: Socket): Reply['count'] {
  let received = 0
  const watch = setInterval(() => {
    if (socket.bytesRead > MAX_OVERHEAD + 2 * received)
      socket.destroy(new PageError('never comes to its text'))
  }, WATCH_MS)
  socket.once('close', () => clearInterval(watch))
  return piece => {
    received += piece.length
  }
}

async function contentOf(response: IncomingMessage, count: Reply['count']): Promise<PageContent> {
  const { statusCode, headers } = response
  try {
    if (statusCode !== 200) throw new PageError(`answered with HTTP ${statusCode}`)
    const [declared = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
    const type = declared.trim()
    if (!READABLE.test(type)) throw new PageError('is no text')
    const charset = /^\s*charset\s*=\s*"?([\w.:-]+)/.exec(
      parameters.find(one => /^\s*charset/.test(one)) ?? '',
    )?.[1]
    const bytes = await bytesOf(decoded(response, piecesOf(response, count)))
    // Servers that do not know a PDF send it as bytes.
    if (
      type === 'application/octet-stream' &&
      !Buffer.from(bytes.subarray(0, 5)).equals(Buffer.from('%PDF-'))
    )
      throw new PageError('is no text')
    return { type, charset, bytes }
  } finally {
    response.destroy()
  }
}

async function bytesOf(pieces: AsyncIterable<Buffer>): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(MAX_PAGE_BYTES)
  let length = 0
  for await (const chunk of pieces) {
    bytes.set(chunk.subarray(0, MAX_PAGE_BYTES - length), length)
    length = Math.min(MAX_PAGE_BYTES, length + chunk.length)
    if (length === MAX_PAGE_BYTES) break
  }
  return bytes.slice(0, length)
}

/** A body, decompressed. */
export function decoded(
  response: IncomingMessage,
  pieces: AsyncIterable<Buffer> = response,
): AsyncIterable<Buffer> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return pieces
  const decoder = DECODERS[encoding]?.()
  if (!decoder) throw new PageError('is compressed in a way that was not asked for')
  // The decoder passes an error on.
  return pipeline(pieces, decoder, () => {})
}

/** The body as it is sent, up to the limit: compressed data may come to nothing without end. */
async function* piecesOf(response: IncomingMessage, count: Reply['count']): AsyncGenerator<Buffer> {
  let length = 0
  for await (const piece of response) {
    count(piece)
    length += piece.length
    yield piece
    if (length >= MAX_PAGE_BYTES) return
  }
}
