import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { requestBody } from '../backend.ts'

/** A request as received over the socket. */
interface Received {
  readonly method: string
  readonly path: string
  readonly parameters: Record<string, string>
  readonly headers: IncomingHttpHeaders
  /** The parsed JSON body; `undefined` without one. */
  readonly body: unknown
  /** Resolves when the client's socket closes. */
  readonly socketClosed: Promise<unknown>
}

export interface FakeServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly host: string
  readonly received: Received[]
  /** The first request, once it has fully arrived. */
  first(): Promise<Received>
  close(): Promise<void>
}

type Handler = (response: ServerResponse, request: Received) => void

/** Serves every request with `handler`, which may leave it unanswered. Closes after the test. */
export async function fakeServer(handler: Handler): Promise<FakeServer> {
  const arrivals = new EventEmitter()
  const received: Received[] = []
  const server = createServer(async (message, response) => {
    // Not `once` from node:events, which rejects if the socket ends in an error, as an aborted one may.
    const socketClosed = new Promise<unknown>(resolve => message.socket.once('close', resolve))
    const body = await requestBody(message)
    if (body === undefined) return
    const request = { ...read(message, body.toString()), socketClosed }
    received.push(request)
    arrivals.emit('request')
    handler(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeServer = {
    url: `http://${host}`,
    host,
    received,
    async first() {
      if (received.length === 0) await once(arrivals, 'request')
      return received[0]!
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  onTestFinished(fake.close)
  return fake
}

/** Answers with JSON, or with a string verbatim. */
export function reply(body: unknown, status = 200, headers: Record<string, string> = {}): Handler {
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

function read(message: IncomingMessage, text: string): Omit<Received, 'socketClosed'> {
  const url = new URL(message.url ?? '', 'http://server')
  return {
    method: message.method ?? '',
    path: url.pathname,
    parameters: Object.fromEntries(url.searchParams),
    headers: message.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}
