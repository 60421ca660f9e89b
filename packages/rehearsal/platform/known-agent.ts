import type { AgentClient } from '../agents/agent-client.ts'
import type { AgentTarget } from '../agents/start-agent.ts'
import type { Monitor } from './monitor.ts'
import type { LogLines } from './staging-route/log-lines.ts'

/** An agent that the platform knows. */
export interface Agent extends AgentTarget {
  readonly client: AgentClient
  readonly monitor: Monitor
  /** Absent: its log is unknown. */
  readonly lines: LogLines | undefined
}
