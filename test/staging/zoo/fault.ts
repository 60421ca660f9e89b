import type { CheckLimits } from '../../../staging/checks/run-checks.ts'
import type { AgentSettings, SecondAgent } from '../second-agent/agent.ts'

/** An agent with one fault, and what of it the checks must see. */
export interface Fault {
  readonly name: string
  /** What it does that it should not. */
  readonly does: string
  readonly Agent: new (settings: AgentSettings) => SecondAgent
  /** The assertions that fail: all mandatory ones, and the advisory ones that are meant. */
  readonly caughtBy: readonly string[]
  /** Assertions that cannot be looked at because of it, where that is all that comes of it. */
  readonly unseen?: readonly string[]
  /** Why it is more than one. */
  readonly because?: string
  readonly settings?: AgentSettings
  readonly limits?: Partial<CheckLimits>
  /** Tasks of the task file at a time. */
  readonly concurrency?: number
}
