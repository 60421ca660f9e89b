import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { McpServerSettings } from './server-settings.ts'

export type McpTransport = StdioClientTransport | StreamableHTTPClientTransport

/** Largest reply read from a server, in bytes after decompression; the SDK's limit for a line from a program. */
const MAX_REPLY_BYTES = 10 * 2 ** 20

/** Creates a transport, not yet started. A program gets nothing of our environment but PATH, HOME and the like. */
export function createTransport(settings: McpServerSettings): McpTransport {
  if (settings.transport === 'http') {
    const { url, headers } = settings
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch })
  }
  const { command, args, env, cwd } = settings
  // Its standard error is external text and must not reach our log.
  return new Program({ command, args: [...args], env, cwd, stderr: 'ignore' })
}

/** Closes a connection and stops the program behind it, politely at first. Never throws, since no caller could help. */
export async function closeTransport(transport: McpTransport): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => {})
  await transport.close().catch(() => {})
}

const running = new Set<number>()
process.once('exit', () => {
  for (const pid of running) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has already exited.
    }
  }
})

/** A program that does not outlive the agent, however the agent ends. */
class Program extends StdioClientTransport {
  override async start(): Promise<void> {
    await super.start()
    const { pid, onclose } = this
    if (pid === null) return
    running.add(pid)
    this.onclose = () => {
      running.delete(pid)
      onclose?.()
    }
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
