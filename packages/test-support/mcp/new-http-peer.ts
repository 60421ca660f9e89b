import { serve } from '@hono/node-server'
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import type { HttpServer } from '../../engine/mcp/server-settings.ts'
import { freePort } from '../free-port.ts'
import { newServer } from './new-server.ts'

export interface NewHttpPeer {
  readonly port: number
  readonly requests: readonly Request[]
  readonly notify: McpHttpHandler['notify']
  settings(name: string): HttpServer
  /** Cuts all connections, and so every stream; new ones are accepted. */
  cut(): void
  /** Cuts all connections and stops listening. */
  close(): Promise<void>
}

/** An HTTP server for the protocol of 2026-07-28 alone, on 127.0.0.1. Closes after the test. */
export async function newHttpPeer(
  tools: Parameters<typeof newServer>[0],
  samePort?: number,
): Promise<NewHttpPeer> {
  const port = samePort ?? (await freePort())
  const handler = createMcpHandler(newServer(tools), { legacy: 'reject' })
  const requests: Request[] = []
  const fetch = (request: Request) => {
    requests.push(request)
    return handler.fetch(request)
  }
  const listening = Promise.withResolvers<void>()
  const server = serve({ fetch, port, hostname: '127.0.0.1' }, () => listening.resolve())
  await listening.promise
  const cut = () => 'closeAllConnections' in server && server.closeAllConnections()
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      cut()
    })
  onTestFinished(close)
  const url = `http://127.0.0.1:${port}/mcp`
  return {
    port,
    requests,
    notify: handler.notify,
    settings: name => ({ transport: 'http', name, url, headers: {} }),
    cut: () => void cut(),
    close,
  }
}
