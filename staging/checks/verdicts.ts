/** What the title says does not hold. */
export class Failed extends Error {
  override readonly name = 'Failed'
  /** How to see this very failure, where that differs from the check's own `how`. */
  readonly how: string | undefined

  /** @param detail what was expected and what came */
  constructor(detail: string, how?: string) {
    super(detail)
    this.how = how
  }
}

/** It cannot be seen whether it holds; the message says why. */
export class NotRun extends Error {
  override readonly name = 'NotRun'
}

/** It cannot be seen of an agent of this kind, whatever anyone does: the verdict does not wait for it. */
export class OutOfSight extends NotRun {}

const SHOWN_PROBLEMS = 5

/** Fails with all that is wrong, if anything is. */
export function expectNone(problems: readonly string[], how?: string): void {
  if (problems.length === 0) return
  const more = problems.length - SHOWN_PROBLEMS
  const shown = problems.slice(0, SHOWN_PROBLEMS).join('; ')
  throw new Failed(more > 0 ? `${shown}; and ${more} more` : shown, how)
}
