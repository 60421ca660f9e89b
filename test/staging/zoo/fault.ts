import type { CheckLimits, GroupId } from '../../../staging/checks/options.ts'
import type { AgentSettings, SecondAgent } from '../second-agent/agent.ts'

/** An agent with one fault, and what of it the checks must see. */
export interface Fault {
  readonly name: string
  /** What it does that it should not. */
  readonly does: string
  readonly Agent: new (settings: AgentSettings) => SecondAgent
  /** The assertions that fail: all mandatory ones, and the advisory ones that are meant. The first one names the fault. */
  readonly caughtBy: readonly string[]
  /** What the first one says. */
  readonly says?: RegExp
  /** Assertions that cannot be looked at because of it, where that is all that comes of it. */
  readonly unseen?: readonly string[]
  /** Why it is more than one. */
  readonly because?: string
  readonly settings?: AgentSettings
  readonly limits?: Partial<CheckLimits>
  /** Tasks of the task file at a time. */
  readonly concurrency?: number
  /** Groups of checks that are run, where a fault costs its time in each; default: all. */
  readonly only?: readonly GroupId[]
  /** The agent asks for no token, and the checks are given none. */
  readonly isOpen?: true
}
