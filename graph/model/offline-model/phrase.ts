/** Sources of patterns by the name of their slot; `.+?` for those that are not listed. */
export type Slots = Readonly<Record<string, string>>

const BRACKETS: Readonly<Record<string, string>> = { '(': '(?:', ')': ')', '[': '(?:', ']': ')?', '|': '|' }

/**
 * Makes the source of a pattern from a notation: words as they stand; `(a|b c)` one of these; `[a|b]` one of these or
 * nothing; `{name}` a group that holds what stands in the slot. Spaces after a word or slot are optional.
 */
export function phrase(notation: string, slots: Slots = {}): string {
  return notation.replace(/\{(\w+)\}|([()[\]|])|\s+|[^\s()[\]|{}]+/g, (piece, slot, bracket) => {
    if (slot) return `(${slots[slot] ?? '.+?'}) *`
    if (bracket) return BRACKETS[bracket]!
    const word = piece.trim().replace(/[.*+?^$/]/g, '\\$&')
    // V8 takes several times as long to compile \b.
    return word && `${/^\w/.test(word) ? '(?<!\\w)' : ''}${word}${/\w$/.test(word) ? '(?!\\w)' : ''} *`
  })
}

/** A pattern of one of several notations. */
export function oneOf(notations: readonly string[]): string {
  return `(?:${notations.map(notation => phrase(notation)).join('|')})`
}

/** Reads lines of `notation => code`. */
export function phraseTable(text: string, slots: Slots) {
  return [...text.matchAll(/^ *(.*) => (.*)$/gm)].map(([, notation = '', code = '']) => ({
    source: phrase(notation, slots),
    code,
    slots: [...notation.matchAll(/\{(\w+)\}/g)].map(([, slot = '']) => slot),
  }))
}
