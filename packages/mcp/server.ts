import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@agent-task-service/engine/more-tools'
import { ToolError } from '@agent-task-service/engine/tool'
import type { StructuredToolInterface } from '@langchain/core/tools'
import type { McpServerSettings } from './mcp-file.ts'
import { McpSession, reasonOf } from './session.ts'
import { clean, EMPTY_LIST, MAX_NAME_LENGTH, type ToolList, type ToolServer } from './tool-list.ts'

/** Maximum number of names in a log line. */
export const MAX_NAMES = 10

interface ServerOptions {
  readonly log: Log
  /** Receives the server's tools after each change. While it is away they stay, and say so when they are called. */
  readonly onTools: (tools: readonly StructuredToolInterface[]) => void
  /** Called when the first attempt to connect has succeeded or failed; again after others. */
  readonly onTried: () => void
  /** Closes the connection and stops the program behind it. */
  readonly signal: AbortSignal
}

/** Wait before the second attempt, in milliseconds; doubles with each further one. */
const FIRST_BACKOFF_MS = 1_000
const LONGEST_BACKOFF_MS = 60_000

/** A server across its connections. */
class Server implements ToolServer {
  readonly name: string
  /** Patterns for the names of tools that are offered. */
  readonly tools: readonly string[]
  /** The connection that is open; none while the server is away. */
  session: McpSession | undefined

  constructor({ name, tools = ['*'] }: McpServerSettings) {
    this.name = name
    this.tools = tools
  }

  get isAway(): boolean {
    return this.session === undefined
  }

  isListed(tool: string): boolean {
    return this.tools.some(pattern => fits(tool, pattern))
  }

  call: ToolServer['call'] = async (...call) => {
    if (this.session) return await this.session.call(...call)
    throw new ToolError(
      `the MCP server ${this.name} is away. It may be back soon: call the tool again later, or finish without it.`,
    )
  }
}

/** Stays connected to a server until the signal aborts, reconnecting whenever the connection is lost. */
export async function keepConnected(settings: McpServerSettings, options: ServerOptions): Promise<void> {
  const { log, onTools, onTried, signal } = options
  const { name: server } = settings
  const owner = new Server(settings)
  let earlier = EMPTY_LIST
  const say = (level: 'debug' | 'info' | 'warn', fields: object, message: string) =>
    signal.aborted || log[level]({ server, ...fields }, message)
  let backoffMs = FIRST_BACKOFF_MS
  let failure: string | undefined
  while (!signal.aborted) {
    const session = new McpSession(settings, owner, earlier, failure !== undefined)
    const close = () => session.close()
    signal.addEventListener('abort', close)
    const offer = (event: string, list: ToolList) => {
      earlier = list
      const { tools, repaired, refused, names } = list
      const unlisted = names.filter(name => !owner.isListed(name))
      const unknown = owner.tools.filter(
        pattern => pattern !== '*' && !names.some(name => fits(name, pattern)),
      )
      const fields = {
        tools: tools.length,
        ...counted(
          'repaired',
          repaired.map(({ tool, leftOut }) => `${tool.name}: ${leftOut.join(', ')}`),
        ),
        ...counted(
          'refused',
          refused.map(({ name, reason }) => `${name}: ${reason}`),
        ),
        ...counted(
          'unlisted',
          unlisted.map(name => clean(name).slice(0, MAX_NAME_LENGTH)),
        ),
        ...counted('unknown', unknown),
      }
      const isTrouble = refused.length > 0 || unknown.length > 0
      say(isTrouble ? 'warn' : 'info', fields, `mcp server ${event}`)
      onTools(tools)
    }
    const startedAt = performance.now()
    try {
      const list = await session.open()
      owner.session = session
      offer('connected', list)
      session.onToolsChanged = list => offer('changed', list)
      onTried()
      failure = undefined
      const reason = await session.lost
      owner.session = undefined
      session.onToolsChanged = () => {}
      say('warn', { reason }, 'mcp server lost')
    } catch (error) {
      const reason = reasonOf(error)
      say(reason === failure ? 'debug' : 'warn', { reason }, 'mcp server failed')
      failure = reason
    }
    onTried()
    await session.close()
    signal.removeEventListener('abort', close)
    // Keep backing off from a server whose connections do not last.
    if (performance.now() - startedAt > LONGEST_BACKOFF_MS) backoffMs = FIRST_BACKOFF_MS
    await sleep(backoffMs, undefined, { signal }).catch(() => {})
    backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS)
  }
}

/** Log fields for how many tools are in some way, and the first of them; none if there are none. */
function counted(way: string, tools: readonly string[]): object {
  return tools.length === 0 ? {} : { [way]: tools.length, [`${way}_tools`]: tools.slice(0, MAX_NAMES) }
}

/** Whether a name fits a pattern, in which `*` stands for any characters. */
function fits(name: string, pattern: string): boolean {
  const [start = '', ...parts] = pattern.split('*')
  const end = parts.pop()
  if (end === undefined) return name === pattern
  if (!name.startsWith(start)) return false
  let at = start.length
  for (const part of parts) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - end.length >= at && name.endsWith(end)
}
