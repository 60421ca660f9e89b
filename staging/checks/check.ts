import type { GroupId } from './options.ts'
import type { Session } from './session/session.ts'

/** One assertion before it is looked at; see `Assertion` for its texts. */
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
   * Looks. Resolves when what the title says holds.
   *
   * @throws Failed when it does not
   * @throws NotRun when that cannot be seen
   */
  look(): Promise<void> | void
}

/** The checks that stand for one of the curator's. */
export interface CheckGroup {
  readonly id: GroupId
  readonly title: string
  /** In the order in which they are looked at. */
  checks(session: Session): readonly Check[]
}
