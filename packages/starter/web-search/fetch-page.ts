import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { type BrotliDecompress, createBrotliDecompress, createGunzip, type Gunzip } from 'node:zlib'
import { responseOf } from '@agent-task-service/wire/response-of'
import { Cookies } from './cookies.ts'
import { connectionTo, isPrivate, type OutsideRules, PageError } from './outside.ts'
import { MAX_PAGE_BYTES } from './passages.ts'
import { mendHead } from './response-head.ts'

/** A page as fetched. */
export interface PageContent {
  /** Media type in lower case, without parameters; '' if none is declared. */
  readonly type: string
  readonly charset: string | undefined
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether it goes on after these bytes. */
  readonly isCut?: boolean
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
const DECODERS: Readonly<Record<string, () => Gunzip | BrotliDecompress>> = {
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
 * Fetches a page from the web, without referrer, credentials or cookies, except those that its own redirects set.
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
  const cookies = new Cookies()
  for (let redirects = 0; ; redirects += 1) {
    const response = await get(url, allowed, cookies, signal)
    const { statusCode = 0, headers } = response
    if (![301, 302, 303, 307, 308].includes(statusCode)) {
      const content = await contentOf(response)
      signal.throwIfAborted()
      return { ...content, url }
    }
    response.destroy()
    const target = headers.location === undefined ? null : URL.parse(headers.location, url.href)
    if (!target) throw new PageError('redirects to nowhere')
    if (redirects === MAX_REDIRECTS) throw new PageError(`redirects more than ${MAX_REDIRECTS} times`)
    allowed = rulesBehind(url, allowed)
    cookies.keep(url, headers['set-cookie'])
    url = target
  }
}

/** The rules for where a page leads: the public web must not lead inside. */
export function rulesBehind(url: URL, rules: PageRules): PageRules {
  return isPrivate(url, rules) ? rules : { ...rules, privateHosts: [] }
}

async function get(
  url: URL,
  rules: PageRules,
  cookies: Cookies,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  url.username = ''
  url.password = ''
  const cookie = cookies.headerFor(url)
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    ...connectionTo(url, rules, signal),
    signal,
    headers: {
      'user-agent': rules.userAgent,
      accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.9,application/json;q=0.5',
      'accept-encoding': 'gzip, br',
      ...(cookie !== undefined && { cookie }),
    },
  })
  request.once('socket', limitReceived).once('socket', mendHead)
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
    const { bytes, error } = await readBytes(response, MAX_PAGE_BYTES)
    if (error && bytes.length === 0) throw error
    const isPdf = Buffer.from(bytes.subarray(0, 5)).toString() === '%PDF-'
    if (UNKNOWN.test(type) && !isPdf) throw new PageError('is no text')
    return { type, charset, bytes, isCut: error !== undefined || bytes.length === MAX_PAGE_BYTES }
  } finally {
    response.destroy()
  }
}

/** Reads a body, decompressed, up to so many bytes. If it breaks off, what came is returned with the error. */
export async function readBytes(
  response: IncomingMessage,
  most: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; error?: Error }> {
  const pieces: Buffer[] = []
  let length = 0
  let received = 0
  const body = decoded(response)
  const error = await new Promise<Error | undefined>(resolve => {
    response.on('data', (piece: Buffer) => {
      received += piece.length
      if (received > 2 * most) resolve(new Error('compressed nothing'))
    })
    body.on('data', (piece: Buffer) => {
      pieces.push(piece)
      length += piece.length
      if (length >= most) resolve(undefined)
    })
    body.once('end', () => resolve(response.errored ?? undefined)).once('error', resolve)
  })
  body.destroy()
  response.destroy()
  const bytes = new Uint8Array(Buffer.concat(pieces).subarray(0, most))
  return error ? { bytes, error } : { bytes }
}

function decoded(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '' || isCharset(encoding)) return response
  const decoder = DECODERS[encoding]?.()
  if (!decoder) throw new PageError('is compressed in a way that was not asked for')
  // What came is decoded before its end is: a decoder that finds its end missing gives nothing of the last piece.
  const end = () => decoder.flush(() => decoder.end())
  response
    .on('data', piece => decoder.write(piece))
    .once('end', end)
    .once('error', end)
  return decoder
}

/** Some servers name the charset where the compression belongs. */
function isCharset(label: string): boolean {
  try {
    return new TextDecoder(label) !== undefined
  } catch {
    return false
  }
}
