/** The assertion failed; the message is `expected …, got …`. */
export class Failed extends Error {
  override readonly name = 'Failed'
}

/** Whether it passes cannot be determined; the message says why. */
export class NotRun extends Error {
  override readonly name = 'NotRun'
}

/** It can never be determined for this kind of agent, so it does not affect the verdict. */
export class OutOfSight extends NotRun {}

const SHOWN_PROBLEMS = 5

/** Fails if anything is wrong, listing all of it. */
export function expectNone(problems: readonly string[]): void {
  if (problems.length === 0) return
  const more = problems.length - SHOWN_PROBLEMS
  const shown = problems.slice(0, SHOWN_PROBLEMS).join('; ')
  throw new Failed(more > 0 ? `${shown}; and ${more} more` : shown)
}
