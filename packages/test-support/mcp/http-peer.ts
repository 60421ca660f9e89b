import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { type Listening, listening } from './listening.ts'
import { answer, type Peer } from './peer.ts'

interface HttpPeer extends Listening {
  /** Headers of the requests so far. */
  readonly headers: readonly IncomingMessage['headers'][]
  /** Answers what comes from now on with this status. */
  refuse(status: number): void
  /** Sends a notification to every listening client. */
  notify(method: string): void
}

/** An MCP server on 127.0.0.1 with streamable HTTP and sessions, which it forgets when it goes away. Closes after the test. */
export async function httpPeer(peer: Peer = {}): Promise<HttpPeer> {
  let session = crypto.randomUUID()
  const headers: IncomingMessage['headers'][] = []
  const listeners = new Set<ServerResponse>()
  let refusal: number | undefined

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    headers.push(request.headers)
    const { 'mcp-session-id': given } = request.headers
    if (given !== undefined && given !== session) return void response.writeHead(404).end('no such session')
    if (peer.isSilent || (request.method === 'DELETE' && peer.neverEnds)) return
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      listeners.add(response)
      return
    }
    const body = await readText(request)
    const reply = body === '' ? undefined : await answer(peer, JSON.parse(body))
    const known = { 'content-type': 'application/json', 'mcp-session-id': session }
    if (reply === undefined) response.writeHead(202).end()
    else response.writeHead(200, known).end(JSON.stringify(reply))
  }

  const server = createServer((request, response) => {
    if (refusal !== undefined) response.writeHead(refusal).end()
    else void handle(request, response).catch(() => {})
  })
  const listens = await listening(server)
  return {
    ...listens,
    headers,
    refuse(status) {
      refusal = status
    },
    notify(method) {
      for (const one of listeners) one.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`)
    },
    goAway() {
      session = crypto.randomUUID()
      listens.goAway()
    },
  }
}
