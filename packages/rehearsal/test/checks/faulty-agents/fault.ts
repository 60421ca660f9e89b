import type { CheckLimits, GroupId } from '@agent-task-service/rehearsal/checks'
import type { AgentSettings, SecondAgent } from '../second-agent/second-agent.ts'

/** An agent, sound or with one fault, and how it is examined. */
export interface Agent {
  /** What it does, or how it misbehaves. */
  readonly does: string
  readonly Agent: new (settings: AgentSettings) => SecondAgent
  readonly settings?: AgentSettings
  readonly limits?: Partial<CheckLimits>
  /** Groups of checks to run; default: all. */
  readonly only?: readonly GroupId[] | undefined
  /** Is examined without its model, too. */
  readonly stalls?: boolean
  /** The agent requires no token, and the checks get none. */
  readonly isOpen?: true
}

export interface Fault extends Agent {
  /** Any of these assertions, or groups of them, is what the fault breaks. */
  readonly caughtBy: readonly string[]
}

/** Nothing mandatory is wrong with it. */
export interface SoundAgent extends Agent {
  /** The assertion that advises on what it does. */
  readonly advisedBy?: string
}
