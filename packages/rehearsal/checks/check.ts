import type { GroupId } from './options.ts'
import type { Session } from './session/session.ts'
import type { Load } from './session/time-budget.ts'

/** An assertion to check; see `Assertion` for its texts. */
export interface Check {
  readonly id: string
  readonly title: string
  readonly advisory: boolean
  /**
   * It may run beside others like it, and makes so many runs, one after the other; if it fails there, it runs again alone.
   * Absent: it has the agent to itself.
   */
  readonly besideRuns?: number | undefined
  /**
   * Checks it. Resolves if the title holds.
   *
   * @throws Failed if it does not
   * @throws NotRun if that cannot be determined
   */
  run(): Promise<void> | void
}

export function check(id: string, title: string, run: Check['run'], advisory = false): Check {
  return { id, title, run, advisory }
}

/** A check of what the contract leaves open, or of what can only be inferred. */
export function advice(id: string, title: string, run: Check['run']): Check {
  return check(id, title, run, true)
}

/** The checks behind one of the curator's. */
export interface CheckGroup {
  readonly id: GroupId
  readonly title: string
  /** The command that reproduces most of its failures. */
  how?(session: Session): string
  /** About how many runs its checks make. */
  load?(session: Session): Load
  /** What must come before its checks. */
  before?(session: Session): Promise<unknown>
  /** In the order of the report: what builds on others comes after them. Those that have the agent to themselves run in it. */
  checks(session: Session): readonly Check[]
}
