import type { Log } from '@agent-task-service/engine/more-tools'
import type { McpEvent } from './server.ts'

/** Maximum number of names in a log line. */
const MAX_NAMES = 10

/** Says in the log what happened to a server. */
export function logEvent(event: McpEvent, log: Log): void {
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
