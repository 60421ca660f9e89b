import { isObject } from '@agent-task-service/wire/untrusted'

/** Merges two pieces of a member: strings are concatenated, and so are the pieces of a list entry. Beside a string, what is none is dropped. */
export function joined(known: unknown, piece: unknown): unknown {
  if (known === undefined || known === null) return piece
  if (piece === undefined || piece === null) return known
  if (typeof known === 'string') return typeof piece === 'string' ? known + piece : known
  if (Array.isArray(known) && Array.isArray(piece)) return piece.reduce(withEntry, known)
  if (!isObject(known) || !isObject(piece)) return piece
  return Object.fromEntries(
    [...new Set([...Object.keys(known), ...Object.keys(piece)])].map(key => [
      key,
      // Each piece repeats the members that identify its entry.
      /^(type|id|index|format)$/.test(key) ? (piece[key] ?? known[key]) : joined(known[key], piece[key]),
    ]),
  )
}

/** Pieces share their entry's `index`; without one, they belong to the last entry until it is signed. */
function withEntry(known: readonly unknown[], piece: unknown): readonly unknown[] {
  const isPart = (entry: unknown) => {
    if (!isObject(entry) || !isObject(piece) || entry.type !== piece.type) return false
    if (piece.index !== undefined) return entry.index === piece.index
    return entry === known.at(-1) && typeof piece.signature === 'string' && !entry.signature
  }
  const at = known.findLastIndex(isPart)
  return at < 0 ? [...known, piece] : known.with(at, joined(known[at], piece))
}
