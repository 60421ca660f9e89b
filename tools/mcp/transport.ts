import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { boundedFetch } from './bounded-fetch.ts'
import type { McpServerSettings } from './server-settings.ts'

export type McpTransport = StdioClientTransport | StreamableHTTPClientTransport

/** The way to a server, not yet begun. A program gets no more of our environment than PATH, HOME and the like. */
export function createTransport(settings: McpServerSettings): McpTransport {
  if (settings.transport === 'http') {
    const { url, headers } = settings
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch })
  }
  const { command, args, env, cwd } = settings
  // What it writes to standard error is foreign text: not for our log.
  return new Program({ command, args: [...args], env, cwd, stderr: 'ignore' })
}

/** Ends a connection, and the program behind it: politely at first. It never fails, since nobody could do more. */
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
      // It has ended by itself.
    }
  }
})

/** A program that does not outlive the agent, however that ends. */
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
