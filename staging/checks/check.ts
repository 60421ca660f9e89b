import type { GroupId } from './options.ts'
import type { Session } from './session/session.ts'

/** An assertion to check; see `Assertion` for its texts. */
export interface Check {
  readonly id: string
  readonly title: string
  readonly advisory?: boolean | undefined
  /** Whether the given options allow this check; absent: yes. */
  readonly applies?: boolean
  /** Absent: its group's command, or the runs that the check made or looked at. */
  readonly how?: string | undefined
  /**
   * Checks it. Resolves if the title holds.
   *
   * @throws Failed if it does not
   * @throws NotRun if that cannot be determined
   */
  look(): Promise<void> | void
}

/** The checks behind one of the curator's. */
export interface CheckGroup {
  readonly id: GroupId
  readonly title: string
  /** The command that reproduces most of its failures. */
  how?(session: Session): string
  /** In the order in which they run. */
  checks(session: Session): readonly Check[]
}
