/** Pattern sources by slot name; `.+?` for any other slot. */
type Slots = Readonly<Record<string, string>>

const BRACKETS: Readonly<Record<string, string>> = { '(': '(?:', ')': ')', '[': '(?:', ']': ')?', '|': '|' }

/**
 * Compiles a notation to pattern source: literal words; `(a|b c)` for alternatives; `[a|b]` for optional ones; `{name}`
 * for a group that captures a slot. Spaces after a word or slot are optional.
 */
function phrase(notation: string, slots: Slots = {}): string {
  return notation.replace(/\{(\w+)\}|([()[\]|])|\s+|[^\s()[\]|{}]+/g, (piece, slot, bracket) => {
    if (slot) return `(${slots[slot] ?? '.+?'}) *`
    if (bracket) return BRACKETS[bracket]!
    const word = piece.trim().replace(/[.*+?^$/]/g, '\\$&')
    // \b takes V8 several times as long to compile.
    return word && `${/^\w/.test(word) ? '(?<!\\w)' : ''}${word}${/\w$/.test(word) ? '(?!\\w)' : ''} *`
  })
}

/** Pattern source that matches any of the notations. */
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

/** The code of a phrase, with the text of its slots. */
export function fill(code: string, groups: readonly (string | undefined)[]): string {
  return code.replace(/\$(\d)/g, (_, at) => groups[at - 1] ?? '')
}
