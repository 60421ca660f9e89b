import { setTimeout as sleep } from 'node:timers/promises'
import { type McpReport, McpServer } from './mcp/server.ts'
import type { McpServerSettings } from './mcp/server-settings.ts'
import { MAX_TOOLS } from './mcp/tool-list.ts'
import type { Tool } from './tool.ts'

export type { McpEvent } from './mcp/server.ts'

export interface McpOptions {
  /** Told of servers that come and go. */
  readonly report: McpReport
  /** Names that the agent's own tools have. */
  readonly taken: readonly string[]
  /** Told of the tools that there are, at start and after each change. */
  readonly onChange: (tools: readonly Tool[]) => void
  /** How long the start waits for servers, in milliseconds. */
  readonly startTimeoutMs?: number
  /** Wait before a server is tried for the second time, in milliseconds. */
  readonly firstBackoffMs?: number
}

/** A program has so long to end by itself. */
const CLOSE_TIMEOUT_MS = 1_000

/**
 * Connects to MCP servers, all at once, and keeps them connected. Returns when each has been tried, or the time is over:
 * a server that comes later is offered from then on.
 *
 * @returns what ends the connections and the programs
 */
export async function startMcp(
  settings: readonly McpServerSettings[],
  { report, taken, onChange, startTimeoutMs = 10_000, firstBackoffMs = 1_000 }: McpOptions,
): Promise<() => Promise<void>> {
  const servers: McpServer[] = []
  const tell = () => onChange(together(servers, taken))
  for (const one of settings) servers.push(new McpServer(one, { report, onChange: tell, firstBackoffMs }))
  const late = new Set(servers)
  const tried = servers.map(async server => {
    await server.tried
    late.delete(server)
  })
  await Promise.race([Promise.all(tried), sleep(startTimeoutMs, undefined, { ref: false })])
  for (const { name: server } of late) report({ server, type: 'late' })
  return async () => {
    const closed = Promise.all(servers.map(server => server.close()))
    await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
  }
}

/** The servers' tools in the order of the servers: of two with one name the first, and no more than a model takes. */
function together(servers: readonly McpServer[], taken: readonly string[]): readonly Tool[] {
  const tools = new Map<string, Tool>()
  for (const tool of servers.flatMap(server => server.tools)) {
    if (!tools.has(tool.name) && !taken.includes(tool.name)) tools.set(tool.name, tool)
  }
  return [...tools.values()].slice(0, MAX_TOOLS)
}
