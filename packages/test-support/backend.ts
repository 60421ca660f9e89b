import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { until } from './until.ts'

/**
 * How much longer than it says a connection may stay idle, in milliseconds: a client in a busy process knows late that the time is
 * up, and what it sends just then would fail.
 */
const keepAliveTimeoutBuffer = 60_000

export interface BackendRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Resolves when the client's socket closes. */
  readonly closed: Promise<void>
}

/** A server that records its requests. It lives as long as the worker, so its address is never reused. */
export interface Backend {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly requests: readonly BackendRequest[]
  /** Resolves after this many requests. */
  received(count: number): Promise<void>
  /** Ends it before the worker does. */
  close(): Promise<void>
}

/** @param answer absent: 200 with `{}` */
export async function startBackend(
  answer: (response: ServerResponse, request: BackendRequest) => void = accepts,
): Promise<Backend> {
  const requests: BackendRequest[] = []
  const ends = new WeakMap<Socket, Promise<void>>()
  const server = createServer({ keepAliveTimeoutBuffer }, async (message, response) => {
    const closed = ends.get(message.socket) ?? Promise.resolve()
    const body = await requestBody(message)
    if (body === undefined) return
    const { method = '', url = '', headers } = message
    const request = { method, path: url, headers, body, closed }
    requests.push(request)
    answer(response, request)
  })
  server.on('connection', socket => {
    ends.set(socket, new Promise(resolve => socket.once('close', () => resolve())))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const received = (count: number) => until(() => requests.length >= count)
  const close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, received, close }
}

/** Answers any request with 200 and `{}`. */
export function accepts(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}

/** The body of a request as a server received it; `undefined` if the client hung up before its end. */
async function requestBody(message: IncomingMessage): Promise<Buffer | undefined> {
  return await buffer(message).catch(() => undefined)
}
