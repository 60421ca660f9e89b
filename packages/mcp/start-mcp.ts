import { setTimeout as sleep } from 'node:timers/promises'
import type { ToolsHost } from '@agent-task-service/engine/more-tools'
import type { StructuredToolInterface } from '@langchain/core/tools'
import type { McpServerSettings } from './mcp-file.ts'
import { keepConnected, MAX_NAMES } from './server.ts'

type Tools = readonly StructuredToolInterface[]

/** How long start-up waits for servers, in milliseconds. */
const START_TIMEOUT_MS = 10_000
/** How long a program may take to exit by itself, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000

/**
 * Connects to all MCP servers in parallel and keeps them connected. Returns once each has been tried or the time is up;
 * tools of a server that connects later are offered from then on.
 *
 * @returns a function that closes the connections and stops the programs
 */
export async function startMcp(
  settings: readonly McpServerSettings[],
  { log, taken, onChange }: ToolsHost,
): Promise<() => Promise<void>> {
  const end = new AbortController()
  const lives: Promise<void>[] = []
  const tools = new Map<string, Tools>(settings.map(({ name }) => [name, []]))
  const leftOut = new Map<string, string>()
  const onTools = (from: string, now: Tools) => {
    tools.set(from, now)
    const offered = together([...tools.values()], taken())
    onChange([...tools.values()].flat().filter(tool => offered.has(tool)))
    for (const [server, own] of tools) {
      const names = own.filter(tool => !offered.has(tool)).map(({ name }) => name)
      const before = leftOut.get(server) ?? ''
      leftOut.set(server, names.join())
      if (names.length === 0 || names.join() === before) continue
      const fields = { left_out: names.length, left_out_tools: names.slice(0, MAX_NAMES) }
      log.warn({ server, ...fields }, 'mcp tools left out: names taken')
    }
  }
  const start = async (one: McpServerSettings) => {
    const { promise: tried, resolve: onTried } = Promise.withResolvers<void>()
    const handlers = { onTools: (now: Tools) => onTools(one.name, now), onTried }
    lives.push(keepConnected(one, { log, ...handlers, signal: end.signal }))
    const late = sleep(START_TIMEOUT_MS, 'late', { ref: false })
    if ((await Promise.race([tried, late])) === 'late') {
      log.warn({ server: one.name }, 'mcp server not ready: the agent starts without its tools')
    }
  }
  await Promise.all(settings.map(start))
  return async () => {
    end.abort()
    await Promise.race([Promise.all(lives), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
  }
}

/** The tools whose names are free; of those with one name the first. */
function together(servers: readonly Tools[], taken: readonly string[]): ReadonlySet<StructuredToolInterface> {
  const byName = new Map(
    servers
      .flat()
      .toReversed()
      .map(tool => [tool.name, tool]),
  )
  for (const name of taken) byName.delete(name)
  return new Set(byName.values())
}
