/** A server sent or asked more than it may, or does not read. The message is for the log, in our own words. */
export class Excess extends Error {
  override readonly name = 'Excess'
}

/** Longest message, in bytes after decompression. */
const MAX_BYTES = 10 * 2 ** 20
/** Most brackets, commas and colons of a message, by their weights: what is parsed takes many times the memory of its text. */
const MAX_MARKS = 1_000_000

/** The most that a message may hold. */
export const LARGEST = { bytes: MAX_BYTES, marks: MAX_MARKS } as const

const [LF, CR, QUOTE, BACKSLASH] = ['\n', '\r', '"', '\\'].map(character => character.charCodeAt(0))
/** An object with many names takes the most time. */
const WEIGHTS = new Uint8Array(256)
for (const [mark, weight] of Object.entries({ '[': 1, '{': 1, ',': 1, ':': 5 }))
  WEIGHTS[mark.charCodeAt(0)] = weight

/** What a stream of JSON messages holds, counted in its bytes, since parsing it would already cost too much. */
export class MessageScan {
  readonly #endsAtLine: boolean
  #bytes = 0
  #marks = 0
  #isText = false
  #isEscaped = false

  /** @param endsAtLine each line is a message; else the whole stream is one */
  constructor(endsAtLine: boolean) {
    this.#endsAtLine = endsAtLine
  }

  /**
   * @returns how many lines end in the piece, and the weight of its brackets, commas and colons outside of texts
   * @throws {Excess} if a message is too large
   */
  read(piece: Uint8Array): { readonly lines: number; readonly marks: number } {
    let [lines, marks] = [0, 0]
    for (const code of piece) {
      this.#bytes += 1
      if (code === LF || code === CR) {
        lines += 1
        this.#endLine()
      } else if (this.#isText) this.#readText(code)
      else if (code === QUOTE) this.#isText = true
      else {
        const weight = WEIGHTS[code] as number
        marks += weight
        this.#marks += weight
      }
      if (this.#bytes > MAX_BYTES || this.#marks > MAX_MARKS) throw new Excess('a message is too large')
    }
    return { lines, marks }
  }

  #endLine(): void {
    // No text of JSON goes on in the next line.
    this.#isText = this.#isEscaped = false
    if (this.#endsAtLine) this.#bytes = this.#marks = 0
  }

  #readText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === BACKSLASH) this.#isEscaped = true
    else if (code === QUOTE) this.#isText = false
  }
}
