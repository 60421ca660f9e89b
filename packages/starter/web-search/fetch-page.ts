import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { responseOf } from '@agent-task-service/wire/response-of'
import { connectionTo, isPrivate, type OutsideRules, PageError } from './outside.ts'
import { MAX_PAGE_BYTES } from './passages.ts'

/** A page as fetched. */
export interface PageContent {
  /** Media type in lower case, without parameters; '' if none is declared. */
  readonly type: string
  readonly charset: string | undefined
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A page that may lead on. */
interface FetchedPage extends PageContent {
  /** Its own, after all redirects. */
  readonly url: URL
}

const MAX_REDIRECTS = 3
/** How much may arrive on a connection, in bytes: twice the largest page, with its headers. */
const MAX_RECEIVED = 2 * MAX_PAGE_BYTES + 256 * 1024
/** How often that is looked at, in milliseconds. */
const WATCH_MS = 50
const READABLE = /^(?:|text\/.*|application\/(?:(?:[\w.-]{1,40}\+)?(?:xml|json)|pdf))$/
/** What servers call a file that they do not know, or that browsers shall save. Its first bytes say whether it is a PDF. */
const UNKNOWN =
  /^(?:(?:application|binary)\/octet-stream|application\/(?:force-download|x-download|unknown))$/
const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  // As HTTP/1.1 asks to read it.
  'x-gzip': createGunzip,
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
): Promise<FetchedPage> {
  let url = new URL(address)
  let allowed = rules
  for (let redirects = 0; ; redirects += 1) {
    const response = await get(url, allowed, signal)
    const { statusCode = 0, headers } = response
    if (![301, 302, 303, 307, 308].includes(statusCode)) return { ...(await contentOf(response)), url }
    response.destroy()
    const target = headers.location === undefined ? null : URL.parse(headers.location, url.href)
    if (!target) throw new PageError('redirects to nowhere')
    if (redirects === MAX_REDIRECTS) throw new PageError(`redirects more than ${MAX_REDIRECTS} times`)
    allowed = rulesBehind(url, allowed)
    url = target
  }
}

/** The rules for where a page leads: the public web must not lead inside. */
export function rulesBehind(url: URL, rules: PageRules): PageRules {
  return isPrivate(url, rules) ? rules : { ...rules, privateHosts: [] }
}

async function get(url: URL, rules: PageRules, signal: AbortSignal): Promise<IncomingMessage> {
  url.username = ''
  url.password = ''
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    ...connectionTo(url, rules, signal),
    signal,
    headers: {
      'user-agent': rules.userAgent,
      accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.9,application/json;q=0.5',
      'accept-encoding': 'gzip, br',
    },
  })
  request.once('socket', limitReceived)
  return await responseOf(request)
}

/** Closes a connection on which too much arrives, in whatever form: interim replies, blank lines, chunk sizes. */
function limitReceived(socket: Socket): void {
  const watch = setInterval(() => {
    if (socket.bytesRead > MAX_RECEIVED) socket.destroy(new PageError('never comes to its text'))
  }, WATCH_MS)
  socket.once('close', () => clearInterval(watch))
}

async function contentOf(response: IncomingMessage): Promise<PageContent> {
  const { statusCode, headers } = response
  try {
    if (statusCode !== 200) throw new PageError(`answered with HTTP ${statusCode}`)
    const declared = (headers['content-type'] ?? '').toLowerCase()
    const type = declared.replace(/;.*/s, '').trim()
    if (!READABLE.test(type) && !UNKNOWN.test(type)) throw new PageError('is no text')
    const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/.exec(declared)?.[1]
    const bytes = await readBytes(response, MAX_PAGE_BYTES)
    const isPdf = Buffer.from(bytes.subarray(0, 5)).toString() === '%PDF-'
    if (UNKNOWN.test(type) && !isPdf) throw new PageError('is no text')
    return { type, charset, bytes }
  } finally {
    response.destroy()
  }
}

/** Reads a body, decompressed, up to so many bytes. */
export async function readBytes(response: IncomingMessage, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of decoded(response)) {
    pieces.push(piece)
    length += piece.length
    if (length >= most) break
  }
  return new Uint8Array(Buffer.concat(pieces).subarray(0, most))
}

function decoded(response: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  const decoder = DECODERS[encoding]?.()
  if (!decoder) throw new PageError('is compressed in a way that was not asked for')
  // The decoder passes an error on.
  return pipeline(response, decoder, () => {})
}
