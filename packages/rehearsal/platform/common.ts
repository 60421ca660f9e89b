import type { AgentClient } from '../agents/agent-client.ts'
import type { AgentTarget } from '../agents/start-agent.ts'
import type { Store } from '../store/store.ts'
import type { Monitor, MonitorParts } from './monitor.ts'
import type { LogLines } from './staging-route/log-lines.ts'

/** What all parts of the platform share. */
export interface Common extends MonitorParts {
  readonly store: Store
  /** Receives errors of the platform itself, such as a failure to record a run. */
  readonly onFault: (error: unknown) => void
}

/** An agent that the platform knows. */
export interface Agent extends AgentTarget {
  readonly client: AgentClient
  readonly monitor: Monitor
  /** Absent: its log is unknown. */
  readonly lines: LogLines | undefined
}
