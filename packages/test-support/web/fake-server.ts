import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { type Backend, type BackendRequest, startBackend } from '../backend.ts'

/** A request as received over the socket. */
interface Received extends Pick<BackendRequest, 'method' | 'path' | 'headers' | 'closed'> {
  readonly parameters: Record<string, string>
  /** The parsed JSON body; `undefined` without one. */
  readonly body: unknown
}

export interface FakeServer extends Pick<Backend, 'url' | 'close'> {
  readonly host: string
  readonly received: Received[]
  /** The first request, once it has fully arrived. */
  first(): Promise<Received>
}

type Handler = (response: ServerResponse, request: Received) => void

/** Serves every request with `handler`, which may leave it unanswered. Closes after the test. */
export async function fakeServer(handler: Handler): Promise<FakeServer> {
  const received: Received[] = []
  const first = Promise.withResolvers<Received>()
  const { url, close } = await startBackend((response, asked) => {
    const request = read(asked)
    received.push(request)
    first.resolve(request)
    handler(response, request)
  })
  onTestFinished(close)
  return { url, host: new URL(url).host, received, first: () => first.promise, close }
}

/** Answers with JSON, or with a string verbatim. */
export function reply(body: unknown, status = 200, headers: Record<string, string> = {}): Handler {
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

function read({ method, path, headers, body, closed }: BackendRequest): Received {
  const url = new URL(path, 'http://server')
  return {
    method,
    path: url.pathname,
    parameters: Object.fromEntries(url.searchParams),
    headers,
    body: body.length === 0 ? undefined : JSON.parse(body.toString()),
    closed,
  }
}
