import { formsOf } from './forms.ts'
import { MASK, maskKeyShapes, withoutKeyBeginning } from './key-shapes.ts'

export { base64Forms } from './forms.ts'
export { MASK, maskKeyShapes } from './key-shapes.ts'

/** Replaces secrets in text that leaves the process. */
export interface Mask {
  (text: string): string
  /** Masks whatever looks like a key, too, known or not: for external text, such as errors. */
  external(text: string): string
  /** Masks one text that arrives in pieces. */
  inPieces(): PieceMask
  /** Masks external text that still grows, and leaves out an end that may start a secret or what looks like a key. */
  growing(text: string): string
}

export interface PieceMask {
  /** Returns the text that is safe to send, masked as the whole text would be; an end that may start a secret waits. */
  push(piece: string): string
  /** Returns what still waits once the text is complete. */
  flush(): string
}

/** Shorter values are placeholders ("none", "ollama"); masking them would hide ordinary words. */
export const MIN_SECRET_LENGTH = 8

/** Fewer characters than these tell nothing of the secret that they may start. */
const MIN_BEGINNING = 3

/**
 * Masks known secrets in text: verbatim, escaped as in JSON or HTML, percent-encoded, in base64 at any offset, and in
 * hexadecimal.
 *
 * @param secrets values known from the configuration; those shorter than 8 characters are ignored
 *
 * @example
 * const mask = createMask(config.secrets)
 * mask('key=hunter2-hunter2') // 'key=[redacted]' if that value is a secret
 */
export function createMask(secrets: readonly string[]): Mask {
  const known = new KnownSecrets(secrets)
  const mask = (text: string) => known.mask(text)
  const external = (text: string) => maskKeyShapes(known.mask(text))
  return Object.assign(mask, {
    external,
    inPieces: () => maskedPieces(known),
    growing: (text: string) => {
      const decided = known.decidedIn(text)
      const hasBegun = text.length - decided >= MIN_BEGINNING
      return external(withoutKeyBeginning(hasBegun ? text.slice(0, decided) : text))
    },
  })
}

/** Secrets in every form in which a text may hold them. */
class KnownSecrets {
  /** By their first letter, the longest first. */
  readonly #forms: ReadonlyMap<string, readonly string[]>
  readonly #pattern: RegExp
  readonly #longest: number

  constructor(secrets: readonly string[]) {
    const forms = new Set(secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH).flatMap(formsOf))
    // Longest first, so that a secret containing another is masked whole.
    const sorted = [...forms].sort((a, b) => b.length - a.length)
    this.#forms = Map.groupBy(sorted, form => form.charAt(0))
    this.#pattern = new RegExp(sorted.map(escapeRegExp).join('|') || '(?!)', 'g')
    this.#longest = sorted[0]?.length ?? 0
  }

  mask(text: string): string {
    return text.replace(this.#pattern, MASK)
  }

  /** Length of the part that is masked the same way whatever follows. */
  decidedIn(text: string): number {
    let end = this.#openEnd(text, 0)
    // Not `matchAll`, which copies the pattern: for each piece of a stream that would cost more than the search.
    this.#pattern.lastIndex = 0
    for (let found = this.#pattern.exec(text); found; found = this.#pattern.exec(text)) {
      const { lastIndex } = this.#pattern
      if (found.index < end && end < lastIndex) end = this.#openEnd(text, lastIndex)
    }
    return end
  }

  /** Where the end of the text may start a secret, at `from` or later; the text's length if nowhere. */
  #openEnd(text: string, from: number): number {
    for (let start = Math.max(from, text.length - this.#longest); start < text.length; start += 1) {
      const forms = this.#forms.get(text.charAt(start))
      if (!forms || forms[0]!.length < text.length - start) continue
      const end = text.slice(start)
      if (forms.some(form => form.startsWith(end))) return start
    }
    return text.length
  }
}

/** Masks one text that arrives in pieces. */
function maskedPieces(known: KnownSecrets): PieceMask {
  let waiting = ''
  return {
    push(piece) {
      const text = waiting + piece
      const decided = known.decidedIn(text)
      waiting = text.slice(decided)
      return known.mask(text.slice(0, decided))
    },
    flush() {
      const rest = known.mask(waiting)
      waiting = ''
      return rest
    },
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
