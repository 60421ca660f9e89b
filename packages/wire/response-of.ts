import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Servers send one or two. Each costs the event loop as much as a reply, and a connection brings thousands at once. */
const MAX_INTERIM_REPLIES = 8

/**
 * Sends a request, and waits for the headers of the response.
 *
 * @throws the request's error; an `Error` if more than eight interim replies (HTTP 1xx) come first
 */
export async function responseOf(request: ClientRequest, body?: string): Promise<IncomingMessage> {
  let interim = 0
  const isFlood = () => interim > MAX_INTERIM_REPLIES
  request.on('information', () => {
    interim += 1
    if (isFlood()) request.destroy()
  })
  try {
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    // What came in one piece with them is still read.
    if (isFlood()) throw new Error('too many interim replies')
    return response
  } finally {
    // What fails from here on fails the body too; without a listener it would crash the process.
    request.on('error', () => {})
  }
}

const SENT = 'undici:client:sendHeaders'
const RECEIVED = 'undici:request:headers'
/** What `fetch` has sent. */
const waiting = new WeakMap<object, { readonly socket: Socket; interim: number }>()

/**
 * Closes the connection of each request that `fetch` makes, if more than eight interim replies come before its response: `fetch`
 * drops them, and would read them for ever. For the whole process; a second call changes nothing.
 */
export function limitInterimReplies(): void {
  for (const [name, listener] of [
    [SENT, noteSent],
    [RECEIVED, countInterim],
  ] as const) {
    unsubscribe(name, listener)
    subscribe(name, listener)
  }
}

function noteSent(message: unknown): void {
  const { request, socket } = message as { request: object; socket: Socket }
  waiting.set(request, { socket, interim: 0 })
}

function countInterim(message: unknown): void {
  const { request, response } = message as { request: object; response: { statusCode: number } }
  const sent = waiting.get(request)
  if (!sent || response.statusCode >= 200) return
  sent.interim += 1
  if (sent.interim > MAX_INTERIM_REPLIES) sent.socket.destroy(new Error('too many interim replies'))
}
