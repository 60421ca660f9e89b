import type { CheckLimits, GroupId } from '../../../../staging/checks/options.ts'
import type { AgentSettings, SecondAgent } from '../second-agent/agent.ts'

/** An agent with one fault, and what the checks must find. */
export interface Fault {
  readonly name: string
  /** Its misbehaviour. */
  readonly does: string
  readonly Agent: new (settings: AgentSettings) => SecondAgent
  /** The assertions that fail: all mandatory ones, and the intended advisory ones. The first one names the fault. */
  readonly caughtBy: readonly string[]
  /** The first one's message. */
  readonly says?: RegExp
  /** Assertions that the fault keeps from running, if that is all it does. */
  readonly unseen?: readonly string[]
  readonly settings?: AgentSettings
  readonly limits?: Partial<CheckLimits>
  /** Concurrent tasks of the task file. */
  readonly concurrency?: number
  /** Groups of checks to run, if the fault costs time in each; default: all. */
  readonly only?: readonly GroupId[]
  /** Is examined without its model, too. */
  readonly stalls?: boolean
  /** The agent requires no token, and the checks get none. */
  readonly isOpen?: true
}
