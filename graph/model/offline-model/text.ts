/** One reading of a part of a text: where it ends, and what it says. */
export interface Found<Value> {
  readonly end: number
  readonly value: Value
}

/** How deep rules may nest: the calculator's parser takes 50 parentheses. */
const DEEPEST = 50

/**
 * Most steps of a reading: a dozen questions take up to 25,000. Counted rather than
 * timed, so that the same text is always read the same way.
 */
const MOST_STEPS = 30_000

/**
 * A text that is read by position. Spaces count nowhere, line breaks do. What was found at a position is remembered,
 * so that rules with a common part cost no more than one of them, however they nest.
 */
export class Text {
  /** As typed, for zones, units and search queries. */
  readonly typed: string
  /** The same length in lower case, with quotes and Markdown marks blanked out. */
  readonly plain: string
  readonly #found = new Map<unknown, Map<number, unknown>>()
  #depth = 0
  /** Words and patterns looked for so far. */
  steps = 0

  constructor(typed: string) {
    this.typed = typed
    this.plain = typed
      .replace(/[A-Z]/g, letter => letter.toLowerCase())
      .replace(/[’‘]/g, "'")
      .replace(/["“”`\u00a0\t\r]|(?<![\d)])\*\*|\*\*(?![\d(])|(?<![a-z\d])'|'(?![a-z\d])/g, marks =>
        ' '.repeat(marks.length),
      )
  }

  /** The position of the next character that is no space. */
  skip(at: number): number {
    let next = at
    while (this.plain[next] === ' ') next++
    return next
  }

  /** The end of `literal` where it stands next, as a whole word if it is one; else `undefined`. */
  literal(literal: string, at: number): number | undefined {
    const start = this.skip(at)
    if (this.isSpent(1) || !this.plain.startsWith(literal, start)) return undefined
    const end = start + literal.length
    return /[a-z\d]$/.test(literal) && /^[a-z\d_]|^'[a-z]/.test(this.plain.slice(end, end + 2))
      ? undefined
      : end
  }

  /** Matches a sticky pattern at the next character that is no space. */
  match(pattern: RegExp, at: number): RegExpExecArray | undefined {
    if (this.isSpent(2)) return undefined
    pattern.lastIndex = this.skip(at)
    return pattern.exec(this.plain) ?? undefined
  }

  /** What `read` finds at a position; it is asked once for each `what`. */
  once<Value>(what: unknown, at: number, read: () => Value): Value {
    const known = this.#found.get(what) ?? new Map<number, unknown>()
    this.#found.set(what, known)
    if (!known.has(at)) known.set(at, read())
    return known.get(at) as Value
  }

  /** Whether the steps are used up, after so many more: nothing is found from then on, and the text counts as unread. */
  isSpent(steps = 0): boolean {
    this.steps += steps
    return this.steps > MOST_STEPS
  }

  /** What `read` finds one level further in, or `undefined` where that is too deep. */
  nested<Value>(read: () => Value | undefined): Value | undefined {
    if (this.#depth >= DEEPEST) return undefined
    this.#depth++
    const found = read()
    this.#depth--
    return found
  }
}
