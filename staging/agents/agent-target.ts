import type { StartedAgent } from './start-agent.ts'

/** An agent as it is named to the platform. */
export interface AgentTarget {
  readonly id: string
  /** Without a path and without credentials. */
  readonly url: string
  /** The agent's own bearer token. */
  readonly token?: string | undefined
  /** File that it writes its log to, for the acceptance checks. */
  readonly log?: string | undefined
  /** Name of its container image, likewise. */
  readonly image?: string | undefined
  /** What else the acceptance checks may look at, where the platform started the agent itself. */
  readonly start?: StartedAgent
}
