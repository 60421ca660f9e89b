import type { GroupId } from './options.ts'
import type { Session } from './session/session.ts'

/** An assertion to check; see `Assertion` for its texts. */
export interface Check {
  readonly id: string
  readonly title: string
  readonly advisory?: boolean | undefined
  /** Whether it may run beside others like it; if it fails there, it runs again alone. */
  readonly isIndependent?: true
  /**
   * Checks it. Resolves if the title holds.
   *
   * @throws Failed if it does not
   * @throws NotRun if that cannot be determined
   */
  run(): Promise<void> | void
}

export function check(id: string, title: string, run: Check['run']): Check {
  return { id, title, run }
}

/** A check of what the interface leaves open, or of what can only be inferred. */
export function advice(id: string, title: string, run: Check['run']): Check {
  return { id, title, run, advisory: true }
}

export function independent(check: Check): Check {
  return { ...check, isIndependent: true }
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
