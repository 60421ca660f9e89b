import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { HttpServer } from '../../engine/mcp/server-settings.ts'
import { freePort } from '../free-port.ts'
import { answer, type Peer } from './peer.ts'

export interface HttpPeer {
  readonly url: string
  readonly port: number
  /** Headers of the requests so far. */
  readonly headers: readonly IncomingMessage['headers'][]
  settings(name: string, headers?: Record<string, string>): HttpServer
  /** Sends a notification to every listening client. */
  notify(method: string): void
  /** Cuts all connections and stops listening. */
  close(): Promise<void>
}

/**
 * An MCP server on 127.0.0.1 with streamable HTTP and sessions. Closes after the test.
 *
 * @param samePort of a peer that has closed; absent: a free one, which stays free for its successor
 */
export async function httpPeer(peer: Peer, samePort?: number): Promise<HttpPeer> {
  const port = samePort ?? (await freePort())
  const session = crypto.randomUUID()
  const headers: IncomingMessage['headers'][] = []
  const listeners = new Set<ServerResponse>()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    headers.push(request.headers)
    const { 'mcp-session-id': given } = request.headers
    if (given !== undefined && given !== session) return void response.writeHead(404).end('no such session')
    if (request.method === 'DELETE' && peer.neverEnds) return
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      listeners.add(response)
      return
    }
    const body = request.method === 'POST' ? await readText(request) : ''
    const reply = body === '' ? undefined : await answer(peer, JSON.parse(body))
    const known = { 'content-type': 'application/json', 'mcp-session-id': session }
    if (reply === undefined) response.writeHead(202).end()
    else response.writeHead(200, known).end(JSON.stringify(reply))
  }

  const server = createServer((request, response) => void handle(request, response).catch(() => {}))
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${port}/mcp`
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(close)
  return {
    url,
    port,
    headers,
    settings: (name, given = {}) => ({ transport: 'http', name, url, headers: given }),
    notify(method) {
      for (const one of listeners) one.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`)
    },
    close,
  }
}
