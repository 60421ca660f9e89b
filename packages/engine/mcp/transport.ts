import { setTimeout as sleep } from 'node:timers/promises'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { HttpServer, McpServerSettings, StdioServer } from './server-settings.ts'
import { setToolsAside } from './tool-list.ts'

export type McpTransport = StdioClientTransport | StreamableHTTPClientTransport

/** Largest reply read from a server, in bytes after decompression; the SDK's limit for a line from a program. */
const MAX_REPLY_BYTES = 10 * 2 ** 20
/** How long a server may take to end a session. */
const END_TIMEOUT_MS = 1_000

/** Creates a transport, not yet started. A program gets nothing of our environment but PATH, HOME and the like. */
export function createTransport(settings: McpServerSettings): McpTransport {
  const transport = settings.transport === 'http' ? httpTransport(settings) : new Program(settings)
  transport.onmessage = setToolsAside
  return transport
}

function httpTransport({ url, headers }: HttpServer): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch })
}

/** Closes a connection and stops the program behind it, politely at first. Never throws, since no caller could help. */
export async function closeTransport(transport: McpTransport): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport) {
    const ended = transport.terminateSession().catch(() => {})
    await Promise.race([ended, sleep(END_TIMEOUT_MS, undefined, { ref: false })])
  }
  await transport.close().catch(() => {})
}

const running = new Map<Program, number>()
process.once('exit', () => {
  for (const pid of running.values()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has already exited.
    }
  }
})

/** A program that does not outlive the agent, however the agent ends. */
class Program extends StdioClientTransport {
  constructor({ command, args, env, cwd }: StdioServer) {
    // Its standard error is external text and must not reach our log.
    super({ command, args: [...args], env, cwd, stderr: 'ignore' })
    // The client keeps only what is set before it connects.
    this.onclose = () => void running.delete(this)
  }

  override async start(): Promise<void> {
    await super.start()
    if (this.pid !== null) running.set(this, this.pid)
  }
}

/** A `fetch` whose response body fails beyond 10 MiB. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.body === null) return response
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > MAX_REPLY_BYTES) throw new Error(`the reply is larger than ${MAX_REPLY_BYTES} bytes`)
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(limit), response)
}
