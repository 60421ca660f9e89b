import { setImmediate as turn } from 'node:timers/promises'
import { isObject, parseJson } from '@agent-task-service/wire/untrusted'
import type { RequestId } from '@modelcontextprotocol/client'
import { createParser } from 'eventsource-parser'
import type { Inflow } from './inflow.ts'
import type { Incoming } from './normalize-message.ts'

/** How long a request may take, its response included; longer than a tool's time limit and any wait of ours. */
const TIMEOUT_MS = 60_000
/** How much of a stream of events is read before others may have their turn, in bytes. */
const SLICE_BYTES = 4_096

/** A `fetch` that counts what a server sends, normalizes its messages, and does not wait for ever. */
export function boundedFetch(inflow: Inflow, incoming: Incoming) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url, isOpenEnded(init) ? init : withTimeout(init))
    const posted = requestIn(init)
    const hasEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const count = inflow.counter(hasEvents ? 'events' : 'message')
    const bytesOf = hasEvents ? normalizedEvents(incoming, posted) : undefined
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      async transform(piece, controller) {
        count(piece)
        if (!bytesOf) return controller.enqueue(piece)
        for (let at = 0; at < piece.length; at += SLICE_BYTES) {
          controller.enqueue(bytesOf(piece.subarray(at, at + SLICE_BYTES)))
          await turn()
        }
      },
    })
    const head = headOf(response, init, response.ok && posted !== undefined && !hasEvents)
    const bounded = new Response(response.body?.pipeThrough(counted) ?? null, head)
    const json = async () => incoming.readBody(await bounded.text(), posted)
    // Hono's Response, which is the global one, lets nothing be assigned.
    return Object.defineProperty(bounded, 'json', { value: json })
  }
}

/** @param isReply it answers a request, and is no stream of events: that is read as JSON, whatever it is called */
function headOf(response: Response, { headers: sent }: RequestInit, isReply: boolean): ResponseInit {
  const { status } = response
  const headers = new Headers(response.headers)
  const challenge = headers.get('www-authenticate')
  // The client would begin OAuth.
  headers.delete('www-authenticate')
  if (isReply) headers.set('content-type', 'application/json')
  const isRefused = status === 401 || status === 403
  const statusText = isRefused ? `: ${askedFor(challenge, new Headers(sent).has('authorization'))}` : ''
  return { status: isReply ? 200 : status, statusText, headers }
}

/** A function that returns what follows from each piece of a stream of events: the same events with normalized messages. */
function normalizedEvents(incoming: Incoming, posted: RequestId | undefined) {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()]
  let events = ''
  const parser = createParser({
    onEvent({ id, event = 'message', data }) {
      const messages = event === 'message' ? incoming.read(data, posted) : []
      if (id !== undefined) events += `id: ${id}\ndata:\n\n`
      for (const message of messages) events += `data: ${incoming.eventOf(message)}\n\n`
    },
    onRetry(milliseconds) {
      events += `retry: ${milliseconds}\n`
    },
  })
  return (piece: Uint8Array) => {
    parser.feed(decoder.decode(piece, { stream: true }))
    const bytes = encoder.encode(events)
    events = ''
    return bytes
  }
}

/** The request in the body that is sent. */
function requestIn({ body }: RequestInit): RequestId | undefined {
  const message = typeof body === 'string' ? parseJson(body) : undefined
  return isObject(message) && 'method' in message ? (message.id as RequestId | undefined) : undefined
}

/** Whether the response is a stream of whatever happens later: the old protocol asks for it by GET, the new one by name. */
function isOpenEnded({ method, headers }: RequestInit): boolean {
  return method === 'GET' || new Headers(headers).get('mcp-method') === 'subscriptions/listen'
}

function withTimeout(init: RequestInit): RequestInit {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  return { ...init, signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout }
}

const OAUTH = 'OAuth'
/** The name of a scheme at the beginning of a challenge, if it is short and has letters alone. */
const NAME = /^([A-Za-z][A-Za-z-]{0,19})(?:\s+[^\s=]|$)/

/**
 * What a server that refuses access asks for, and what to set, in our own words, since its text may quote a key.
 *
 * @param challenge its header `WWW-Authenticate`
 * @param isGiven whether the request had an `Authorization`
 */
function askedFor(challenge: string | null, isGiven: boolean): string {
  const schemes = schemesIn(challenge ?? '')
  const asks = schemes.length === 0 ? 'it does not say what it asks for' : `it asks for ${schemes.join(', ')}`
  if (isGiven) return `${asks}, and refuses the "Authorization" that mcp.json sets`
  const scheme = schemes[0] === OAUTH ? 'Bearer' : (schemes[0] ?? 'Bearer')
  return `${asks}: set "Authorization": "${scheme} ..." in its "headers" in mcp.json`
}

/** The schemes that a challenge names. */
function schemesIn(challenge: string): string[] {
  // What is quoted may look like a scheme.
  const bare = challenge.replaceAll(/\\./g, '').replaceAll(/"[^"]*"/g, '""')
  const names = bare.split(',').map(part => NAME.exec(part.trim())?.[1])
  const isOAuth = /\bresource_metadata\s*=/i.test(bare)
  return names.flatMap(name => (isOAuth && /^bearer$/i.test(name ?? '') ? OAUTH : (name ?? [])))
}
