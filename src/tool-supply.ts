import { Toolset } from '../graph/toolset.ts'
import type { McpEvent } from '../tools/mcp.ts'
import { missingSecrets, withSecrets } from '../tools/secrets.ts'
import type { Tool } from '../tools/tool.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'

/** Most names in a log line. */
const MAX_NAMES = 10

/** The agent's tools: its own, and those of the MCP servers that are there. */
export interface ToolSupply {
  /** What can be offered now. */
  readonly current: Toolset
  /** Ends the connections to MCP servers, and the programs among them. */
  close(): Promise<void>
}

/**
 * Gathers the tools. A tool without its secrets is left out, and a server that is not there: the log tells of both.
 *
 * @param tools the agent's own
 * @throws {ToolDefinitionError} for a tool that cannot be offered as it is
 */
export async function supplyTools(
  { toolSecrets, mcpServers }: Config,
  tools: readonly Tool[],
  log: Log,
): Promise<ToolSupply> {
  const own = Toolset.of(tools.flatMap(tool => withItsSecrets(tool, toolSecrets, log)))
  if (mcpServers.length === 0) return { current: own, close: async () => {} }
  // Loaded only where there are servers: it takes longer than all the rest of the start.
  const { startMcp } = await import('../tools/mcp.ts')
  let current = own
  const close = await startMcp(mcpServers, {
    taken: own.names,
    report: event => logEvent(event, log),
    onChange: remote => {
      current = own.with(remote)
    },
  })
  return {
    get current() {
      return current
    },
    close,
  }
}

function withItsSecrets(tool: Tool, secrets: Config['toolSecrets'], log: Log): Tool[] {
  const missing = missingSecrets(tool, secrets)
  if (missing.length === 0) return [withSecrets(tool, secrets)]
  log.warn({ tool: tool.name, missing }, 'tool not offered: its secrets are not set')
  return []
}

function logEvent(event: McpEvent, log: Log): void {
  const { type, server } = event
  switch (type) {
    case 'connected':
    case 'changed': {
      const { tools, refused } = event
      if (refused.length === 0) log.info({ server, tools }, `mcp server ${type}`)
      else {
        const some = refused.slice(0, MAX_NAMES)
        log.warn({ server, tools, refused: refused.length, refused_tools: some }, `mcp server ${type}`)
      }
      break
    }
    case 'left_out': {
      const { names } = event
      const some = names.slice(0, MAX_NAMES)
      log.warn(
        { server, left_out: names.length, left_out_tools: some },
        'mcp tools left out: no room, or no name',
      )
      break
    }
    case 'lost':
      log.warn({ server, reason: event.reason }, 'mcp server lost')
      break
    case 'failed':
      log[event.isRepeated ? 'debug' : 'warn']({ server, reason: event.reason }, 'mcp server failed')
      break
    case 'late':
      log.warn({ server }, 'mcp server not ready: the agent starts without its tools')
  }
}
