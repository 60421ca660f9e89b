import { createServer } from 'node:http'
import { type Listening, listening } from '@agent-task-service/test-support/mcp/listening'
import { newServer } from '@agent-task-service/test-support/mcp/new-server'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'

interface NewHttpPeer extends Listening {
  readonly requests: readonly Request[]
  readonly notify: McpHttpHandler['notify']
}

/** An HTTP server for the protocol of 2026-07-28 alone, on 127.0.0.1. Closes after the test. */
export async function newHttpPeer(tools: Parameters<typeof newServer>[0]): Promise<NewHttpPeer> {
  const handler = createMcpHandler(newServer(tools), { legacy: 'reject' })
  const requests: Request[] = []
  const fetch = (request: Request) => {
    requests.push(request)
    return handler.fetch(request)
  }
  const listens = await listening(createServer(getRequestListener(fetch)))
  return { ...listens, requests, notify: handler.notify }
}
