import { setTimeout as sleep } from 'node:timers/promises'
import {
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { boundedFetch } from './bounded-fetch.ts'
import type { Inflow } from './inflow.ts'
import type { HttpServer, McpServerSettings } from './mcp-file.ts'
import { Incoming } from './normalize-message.ts'
import { Program } from './program.ts'

export type McpTransport = Program | StreamableHTTPClientTransport

/** How long a server may take to end a session. */
const END_TIMEOUT_MS = 1_000
/** Time between attempts to read on where a stream ended, whatever the server asks for. */
const SHORTEST_RETRY_MS = 1_000
/** How long the first attempt may be put off, because the server asks for it. */
const LONGEST_RETRY_MS = 60_000

/** Creates a transport, not yet started. */
export function createTransport(settings: McpServerSettings, inflow: Inflow): McpTransport {
  return settings.transport === 'http' ? new HttpTransport(settings, inflow) : new Program(settings, inflow)
}

class HttpTransport extends StreamableHTTPClientTransport {
  readonly #incoming: Incoming

  constructor({ url, headers }: HttpServer, inflow: Inflow) {
    const incoming = new Incoming(inflow)
    super(new URL(url), {
      requestInit: { headers },
      fetch: boundedFetch(inflow, incoming),
      reconnectionScheduler: reconnectInTurn(),
    })
    this.#incoming = incoming
    this.onmessage = (message: JSONRPCMessage) => incoming.complete(message)
  }

  /** Of a request, it fails when the response ends without a reply and cannot be read on. */
  override async send(
    ...[message, options]: Parameters<StreamableHTTPClientTransport['send']>
  ): Promise<void> {
    // Lists are for others.
    const sent = message as JSONRPCMessage
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => {})
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.()
      ended.reject(new SdkError(SdkErrorCode.ConnectionClosed, 'the response broke off'))
    }
    this.#incoming.sent(sent)
    options?.requestSignal?.addEventListener('abort', () => 'id' in sent && this.#incoming.forget(sent.id!))
    await super.send(message, { ...options, onRequestStreamEnd })
    if ('method' in sent && 'id' in sent) await ended.promise
  }
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
