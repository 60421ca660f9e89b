import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ExchangeOptions, MAX_REPLY_BYTES } from './agent-client.ts'
import { type Exchange, failureOf, parseJsonBytes } from './exchange.ts'

interface PlainRequest extends ExchangeOptions {
  readonly signal: AbortSignal
  /** Keeps the connection for the next request, so that the whole body is sent; absent: a new one. */
  readonly agent?: http.Agent
  /** The body is sent in parts of this size, in bytes; only without `agent`. */
  readonly partBytes?: number | undefined
}

const PART_BYTES = 2 ** 16
/** Between two parts, in milliseconds. */
const PART_PAUSE_MS = 5

/**
 * A request as a small client sends it: only the headers that it needs, unlike `fetch`, which asks for compressed replies
 * and undoes the compression. It stops sending once a reply comes: what is written to a connection that an early refusal
 * closed would reset it, and lose the reply.
 */
export function plainRequest(
  method: string,
  url: string,
  { headers = {}, body = '', timeoutMs, signal, agent, partBytes = PART_BYTES }: PlainRequest,
): Promise<Exchange> {
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(timeoutMs)
  const { request } = url.startsWith('https:') ? https : http
  return new Promise(resolve => {
    const parts: Buffer[] = []
    let head: Pick<Exchange, 'status' | 'headers'> = { status: null, headers: {} }
    const end = (failure: Exchange['failure']) => {
      const bytes = Buffer.concat(parts)
      const json = failure === null ? parseJsonBytes(bytes) : undefined
      resolve({ ...head, body: bytes.toString(), json, wallMs: performance.now() - startedAt, failure })
    }
    const fail = (error: Error) =>
      end(
        timeout.aborted
          ? { kind: 'timeout', message: `no complete reply within ${timeoutMs / 1000} s` }
          : signal.aborted
            ? { kind: 'aborted', message: 'the caller hung up' }
            : failureOf(error),
      )
    const bytes = Buffer.from(body)
    const isChunked = headers['Transfer-Encoding'] === 'chunked'
    const length = isChunked ? {} : { 'content-length': bytes.length }
    const ended = AbortSignal.any([signal, timeout])
    const sent = request(url, {
      method,
      headers: { ...headers, ...length },
      agent: agent ?? false,
      signal: ended,
    })
      .on('error', fail)
      .on('response', reply => {
        head = { status: reply.statusCode!, headers: headersOf(reply) }
        let length = 0
        reply.on('error', fail).on('data', part => {
          parts.push(part)
          length += part.length
          if (length <= MAX_REPLY_BYTES) return
          end({ kind: 'too_large', message: `the reply is longer than ${MAX_REPLY_BYTES} bytes` })
          sent.destroy()
        })
        reply.on('end', () => {
          end(null)
          if (!sent.writableEnded) sent.destroy()
        })
      })
    if (agent) sent.end(bytes)
    else void send(sent, bytes, partBytes)
  })
}

/** As those of `fetch`: one text for each name, also where Node has a list. */
function headersOf({ headers }: http.IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}

async function send(request: http.ClientRequest, body: Buffer, partBytes: number): Promise<void> {
  let isAnswered = false
  request.once('response', () => {
    isAnswered = true
  })
  for (let at = 0; at < body.length && !isAnswered && !request.destroyed; at += partBytes) {
    await new Promise(resolve => request.write(body.subarray(at, at + partBytes), resolve))
    if (at + partBytes < body.length) await sleep(PART_PAUSE_MS)
  }
  if (!isAnswered) request.end()
}
