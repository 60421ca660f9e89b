import { setTimeout as sleep } from 'node:timers/promises'
import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { boundedFetch } from './bounded-fetch.ts'
import type { Inflow } from './inflow.ts'
import { Program } from './program.ts'
import type { HttpServer, McpServerSettings } from './server-settings.ts'
import { setToolsAside } from './tool-list.ts'
import { setContentAside } from './tool-result.ts'

export type McpTransport = Program | StreamableHTTPClientTransport

/** How long a server may take to end a session. */
const END_TIMEOUT_MS = 1_000
/** Time between attempts to read on where a stream ended, whatever the server asks for. */
const SHORTEST_RETRY_MS = 1_000
/** How long the first attempt may be put off, because the server asks for it. */
const LONGEST_RETRY_MS = 60_000

/** Creates a transport, not yet started. */
export function createTransport(settings: McpServerSettings, inflow: Inflow): McpTransport {
  const transport =
    settings.transport === 'http' ? httpTransport(settings, inflow) : new Program(settings, inflow)
  transport.onmessage = (message: JSONRPCMessage) => {
    if ('method' in message && 'id' in message) inflow.countRequest()
    setToolsAside(message)
    setContentAside(message)
  }
  return transport
}

function httpTransport({ url, headers }: HttpServer, inflow: Inflow): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: boundedFetch(inflow),
    reconnectionScheduler: reconnectInTurn(),
  })
}

/** Reconnects when the server asks for it, but never sooner than a second after the one before, since streams may end again and again. */
export function reconnectInTurn() {
  let turnAt = 0
  return (reconnect: () => void, askedMs: number) => {
    const now = performance.now()
    const startAt = Math.max(turnAt, now + Math.min(askedMs, SHORTEST_RETRY_MS))
    turnAt = startAt + SHORTEST_RETRY_MS
    const timer = setTimeout(reconnect, Math.max(startAt - now, Math.min(askedMs, LONGEST_RETRY_MS)))
    return () => clearTimeout(timer)
  }
}

/** Closes a connection and stops the program behind it, politely at first. Never throws, since no caller could help. */
export async function closeTransport(transport: McpTransport): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport) {
    const ended = transport.terminateSession().catch(() => {})
    await Promise.race([ended, sleep(END_TIMEOUT_MS, undefined, { ref: false })])
  }
  await transport.close().catch(() => {})
}

/** Ends a connection at once, and kills the program behind it. */
export function abandonTransport(transport: McpTransport): void {
  if (transport instanceof Program) transport.kill()
  else void transport.close().catch(() => {})
}
