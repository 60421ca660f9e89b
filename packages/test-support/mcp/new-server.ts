import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server'
import { z } from 'zod'

type Run = (args: Record<string, unknown>) => unknown

/** A server for the protocol of 2026-07-28 from the package of the protocol's authors, with these tools. */
export function newServer(tools: () => Readonly<Record<string, Run>>): McpServerFactory {
  return () => {
    const server = new McpServer(
      { name: 'new', version: '1' },
      { capabilities: { tools: { listChanged: true } } },
    )
    const add = (name: string, run: Run) => {
      const inputSchema = z.looseObject({ region: z.string().optional().meta({ 'x-mcp-header': 'Region' }) })
      server.registerTool(name, { inputSchema }, async args => {
        const text = await run(args)
        // A tool that returns a function adds it to the list.
        if (typeof text === 'function') add(text.name, text as Run)
        return { content: [{ type: 'text', text: String(text) }] }
      })
    }
    for (const [name, run] of Object.entries(tools())) add(name, run)
    return server
  }
}

export const echo: Run = args => JSON.stringify(args)
