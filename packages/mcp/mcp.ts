import type { MoreTools } from '@agent-task-service/engine/more-tools'
import { z } from 'zod'
import { type McpServerSettings, readMcpFile } from './mcp-file.ts'

const variables = z.object({
  MCP_CONFIG: z
    .string()
    .optional()
    .describe('Path of an `mcp.json` that lists MCP servers, for more tools. See docs/guides/mcp.md'),
})

/**
 * The tools of the MCP servers that `MCP_CONFIG` lists.
 *
 * @example
 * defineAgent({ …, moreTools: [mcp()] })
 */
export function mcp(): MoreTools<typeof variables, readonly McpServerSettings[]> {
  return {
    variables,
    files({ MCP_CONFIG }) {
      const path = MCP_CONFIG?.trim()
      return path ? [path] : []
    },
    read({ MCP_CONFIG }, environment) {
      if (MCP_CONFIG === undefined) return { settings: [], variables: {}, problems: [] }
      const { servers, variables, problems } = readMcpFile(MCP_CONFIG, environment)
      return { settings: servers, variables, problems: problems.map(line => ['MCP_CONFIG', line]) }
    },
    startsPrograms: servers =>
      servers.some(({ transport }) => transport === 'stdio') ? 'MCP servers are programs' : undefined,
    async start(servers, host) {
      if (servers.length === 0) return async () => {}
      // Loaded only if there are servers, since it takes longer than the rest of start-up.
      const { startMcp } = await import('./start-mcp.ts')
      return await startMcp(servers, host)
    },
  }
}
