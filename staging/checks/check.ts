import type { GroupId } from './options.ts'
import type { Session } from './session/session.ts'

/** An assertion before it is checked; see `Assertion` for its texts. */
export interface Check {
  readonly id: string
  readonly title: string
  readonly advisory?: boolean | undefined
  /** Whether what is known of this agent lets it be looked at; absent: it does. */
  readonly applies?: boolean
  readonly why: string
  /** Absent: the command that runs the first task. */
  readonly how?: string
  /**
   * Checks it. Resolves if the title holds.
   *
   * @throws Failed if it does not
   * @throws NotRun if that cannot be determined
   */
  look(): Promise<void> | void
}

/** The checks that make up one of the curator's. */
export interface CheckGroup {
  readonly id: GroupId
  readonly title: string
  /** In the order in which they run. */
  checks(session: Session): readonly Check[]
}
