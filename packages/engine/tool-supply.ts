import type { Config } from './config.ts'
import { kindOf, SetupError } from './failures/setup-error.ts'
import type { Log } from './log/log.ts'
import type { McpEvent } from './mcp.ts'
import { type AgentTool, needsSecrets, type ToolFromSettings, type ToolWithSecrets } from './tool.ts'
import { assertDistinctNames, guardTool } from './tool-rules/guarded-tools.ts'

/** Maximum number of names in a log line. */
const MAX_NAMES = 10

type Tool = ReturnType<typeof guardTool>

/** The agent's own tools, and those of connected MCP servers. */
export interface ToolSupply {
  /** The tools available now. Always the same array, updated in place. */
  readonly tools: readonly Tool[]
  /** The agent's own among them. */
  readonly own: readonly Tool[]
  /** Closes the connections to MCP servers and stops those that are programs. */
  close(): Promise<void>
}

/**
 * Gathers the tools. Leaves out, with a log line, a tool whose secrets are not set and a server that cannot be reached.
 *
 * @param declared the agent's own tools, offered in the order of their names
 * @throws {SetupError} for a tool that cannot be offered
 */
export async function supplyTools(
  { settings, toolSecrets, toolsAfterWeb, mcpServers }: Config,
  registry: Readonly<Record<string, AgentTool>>,
  log: Log,
): Promise<ToolSupply> {
  const guard = (tool: Tool) => guardTool(tool, { allowEffectsAfterWeb: toolsAfterWeb.includes(tool.name) })
  const own = inOrder(registry).flatMap(([name, tool]) =>
    typeof tool === 'function'
      ? fromSettings(name, tool, settings, guard, log)
      : withItsSecrets(name, tool, toolSecrets, guard, log),
  )
  assertDistinctNames(own)
  const tools = [...own]
  if (mcpServers.length === 0) return { tools, own, close: async () => {} }
  // Loaded only if there are servers, since it takes longer than the rest of start-up.
  const { startMcp } = await import('./mcp.ts')
  const guarded = new WeakMap<Tool, Tool>()
  const guardOnce = (tool: Tool) => {
    const known = guarded.get(tool) ?? guard(tool)
    guarded.set(tool, known)
    return known
  }
  const close = await startMcp(mcpServers, {
    taken: own.map(({ name }) => name),
    report: event => logEvent(event, log),
    onChange: remote => void tools.splice(own.length, tools.length, ...remote.map(guardOnce)),
  })
  return { tools, own, close }
}

/** An agent's tools by name. Sorted, since the order of a module's exports varies between the sources and the bundle. */
export function inOrder(tools: Readonly<Record<string, AgentTool>>): [name: string, tool: AgentTool][] {
  return Object.entries(tools).sort(([one], [other]) => (one < other ? -1 : 1))
}

/** @param name in the registry */
function fromSettings(
  name: string,
  make: ToolFromSettings,
  settings: Config['settings'],
  guard: (tool: Tool) => Tool,
  log: Log,
): Tool[] {
  if (typeof make.prototype?.invoke === 'function') throw noTool(name, 'its class')
  const tool = make(settings)
  if (tool === undefined) {
    log.warn({ tool: name }, 'tool not offered: its settings do not ask for it')
    return []
  }
  return [guard(expectTool(name, tool))]
}

/** A tool that cannot be offered is refused even if its secrets are not set. */
function withItsSecrets(
  name: string,
  declared: Tool | ToolWithSecrets,
  values: Config['toolSecrets'],
  guard: (tool: Tool) => Tool,
  log: Log,
): Tool[] {
  if (!needsSecrets(declared)) return [guard(expectTool(name, declared))]
  const { secrets } = declared
  const made = declared.create(Object.fromEntries(secrets.map(secret => [secret, values[secret] ?? ''])))
  const tool = guard(expectTool(name, made))
  const missing = secrets.filter(secret => values[secret] === undefined)
  if (missing.length === 0) return [tool]
  log.warn({ tool: tool.name, missing }, 'tool not offered: its secrets are not set')
  return []
}

/** @throws {SetupError} for anything else */
function expectTool(name: string, made: unknown): Tool {
  if (typeof (made as Partial<Tool> | null | undefined)?.invoke !== 'function')
    throw noTool(name, kindOf(made))
  return made as Tool
}

function noTool(name: string, kind: string): SetupError {
  return new SetupError(`the tool "${name}" of the registry: expected a LangChain tool, got ${kind}`)
}

function logEvent(event: McpEvent, log: Log): void {
  const { type, server } = event
  switch (type) {
    case 'connected':
    case 'changed': {
      const { tools, refused } = event
      const shown = refused.slice(0, MAX_NAMES).map(({ name, reason }) => `${name}: ${reason}`)
      const trouble = { refused: refused.length, refused_tools: shown }
      if (refused.length === 0) log.info({ server, tools }, `mcp server ${type}`)
      else log.warn({ server, tools, ...trouble }, `mcp server ${type}`)
      break
    }
    case 'left_out': {
      const fields = { left_out: event.names.length, left_out_tools: event.names.slice(0, MAX_NAMES) }
      log.warn({ server, ...fields }, 'mcp tools left out: too many, or names taken')
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
