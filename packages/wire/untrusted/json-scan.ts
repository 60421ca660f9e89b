const [QUOTE, BACKSLASH, COMMA, COLON, LIST, OBJECT] = ['"', '\\', ',', ':', '[', '{'].map(character =>
  character.charCodeAt(0),
) as [number, number, number, number, number, number]

/** How much a JSON text holds, counted in its bytes as they come, since parsing it would already cost too much. */
export class JsonScan {
  /** Objects, lists, and what stands behind a comma in one. */
  values = 0
  /** Of members. */
  names = 0
  #isText = false
  /** Whether the next byte of a text is escaped. */
  #isEscaped = false

  read(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#isText) at = this.#readText(piece, at)
      else this.#count(piece[at++] as number)
    }
  }

  /** A text that is open ends here. */
  endText(): void {
    this.#isText = this.#isEscaped = false
  }

  #count(code: number): void {
    if (code === QUOTE) this.#isText = true
    else if (code === COMMA || code === LIST || code === OBJECT) this.values += 1
    else if (code === COLON) this.names += 1
  }

  /** @returns where it goes on */
  #readText(piece: Uint8Array, from: number): number {
    const start = this.#isEscaped ? from + 1 : from
    let end = piece.indexOf(QUOTE, start)
    while (end >= 0 && isEscaped(piece, start, end)) end = piece.indexOf(QUOTE, end + 1)
    this.#isText = end < 0
    this.#isEscaped = this.#isText && isEscaped(piece, start, piece.length)
    return end < 0 ? piece.length : end + 1
  }
}

/** Whether what stands at an index is behind an odd number of backslashes. */
function isEscaped(piece: Uint8Array, from: number, at: number): boolean {
  let start = at
  while (start > from && piece[start - 1] === BACKSLASH) start -= 1
  return (at - start) % 2 === 1
}
