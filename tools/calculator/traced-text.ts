import { ToolError } from '../tool.ts'

/** A text rewritten step by step, in any letter case; each character keeps its position in the original. */
export class TracedText {
  text: string
  /** Of each character, and of the end. */
  #positions: readonly number[]

  constructor(typed: string) {
    this.text = typed
    this.#positions = [...typed.split('').keys(), typed.trimEnd().length]
  }

  rewrite(pattern: RegExp | string, replace: (match: RegExpExecArray) => string): void {
    let [text, from] = ['', 0]
    const positions: number[] = []
    for (const match of this.text.matchAll(new RegExp(pattern, 'gi'))) {
      const piece = replace(match)
      text += this.text.slice(from, match.index) + piece
      positions.push(...this.#positions.slice(from, match.index))
      from = match.index + match[0].length
      const place = this.#positions.slice(match.index, from)
      positions.push(...(piece === match[0] ? place : Array.from(piece, () => place[0]!)))
    }
    this.#positions = [...positions, ...this.#positions.slice(from)]
    this.text = text + this.text.slice(from)
  }

  /** @throws {ToolError} where the pattern matches */
  refuse(pattern: RegExp | string, message: string): void {
    const found = this.text.search(new RegExp(pattern, 'i'))
    if (found >= 0) throw this.error(found, message)
  }

  /** The original position, from 0; the end of the original for an index beyond the text. */
  place(index: number): number {
    return this.#positions[index] ?? this.#positions.at(-1)!
  }

  /** A syntax error at one position of the text. */
  error(index: number, message: string): ToolError {
    return new ToolError(`Syntax error at position ${this.place(index) + 1}: ${message}`)
  }
}
