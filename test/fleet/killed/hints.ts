/**
 * What tools with side effects say of themselves: that they have some (`yes`), that their services honour keys too (`keys`), that a
 * repeated call changes nothing more (`repeats`), or that they only read (`no`).
 */
export function hintsFor(declares: string) {
  return {
    readOnlyHint: declares === 'no',
    idempotentHint: declares === 'no' || declares === 'repeats',
    idempotencyKeyHint: declares === 'keys',
  }
}
