import { fileURLToPath } from 'node:url'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { onTestFinished } from 'vitest'
import type { McpServerSettings, StdioServer } from '../../engine/mcp/server-settings.ts'
import { type McpEvent, type McpOptions, startMcp } from '../../engine/mcp.ts'
import { callableTools, guardTool } from '../../engine/tool-rules/guarded-tools.ts'

export interface Started {
  /** Reports so far: `connected peer 1`, `lost peer`, … */
  readonly events: readonly string[]
  readonly reports: readonly McpEvent[]
  /** Names of the tools on offer now. */
  names(): string[]
  /** Names that a request may give: of tools on offer, and of those whose server is away. */
  knownNames(): string[]
  tool(name: string): StructuredToolInterface
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<string>
  close(): Promise<void>
}

/** Connects to servers; closes everything after the test. Retries start at 20 ms. */
export async function started(
  settings: readonly McpServerSettings[],
  options: Partial<Pick<McpOptions, 'startTimeoutMs' | 'taken'>> = {},
): Promise<Started> {
  const reports: McpEvent[] = []
  const events: string[] = []
  let tools: readonly StructuredToolInterface[] = []
  const close = await startMcp(settings, {
    taken: [],
    firstBackoffMs: 20,
    startTimeoutMs: 60_000,
    ...options,
    report(event) {
      reports.push(event)
      const tools = 'tools' in event ? ` ${event.tools}` : ''
      events.push(`${event.type} ${event.server}${tools}`)
    },
    onChange(current) {
      tools = current
    },
  })
  onTestFinished(close)
  const tool = (name: string) => {
    const found = tools.find(one => one.name === name)
    if (!found) throw new Error(`there is no tool ${name}, only ${tools.map(one => one.name).join(', ')}`)
    return found
  }
  return {
    events,
    reports,
    names: () =>
      callableTools(
        tools.map(tool => guardTool(tool)),
        {},
      ).map(({ name }) => name),
    knownNames: () => tools.map(({ name }) => name),
    tool,
    call: async (name, args = {}, signal = new AbortController().signal) =>
      await tool(name).invoke(args, { signal }),
    close,
  }
}

/** The misbehaving server; see program.ts for its options. */
export function program(
  name: string,
  options: readonly string[] = [],
  env: StdioServer['env'] = {},
): StdioServer {
  return { ...ownProgram('program.ts', name, options), env }
}

/** The server of the new protocol; see new-program.ts for its options. */
export function newProgram(name: string, options: readonly string[] = []): StdioServer {
  return ownProgram('new-program.ts', name, options)
}

function ownProgram(file: string, name: string, options: readonly string[]): StdioServer {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return { transport: 'stdio', name, command: process.execPath, args: [path, ...options], env: {} }
}
