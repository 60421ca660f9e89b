import { JsonScan } from '@agent-task-service/wire/untrusted'

/** A server sent or asked more than it may, or does not read. The message is for the log, in our own words. */
export class Excess extends Error {
  override readonly name = 'Excess'
}

/**
 * The most that a message may hold: bytes after decompression, and brackets, commas and colons, a colon weighing five, since what is
 * parsed takes many times the memory of its text.
 */
export const LARGEST = { bytes: 10 * 2 ** 20, marks: 1_000_000 } as const

/** An object with many names takes the most time. */
const NAME_WEIGHT = 5

/** What a JSON message holds, counted in its bytes, since parsing it would already cost too much. */
export class MessageScan {
  #bytes = 0
  #json = new JsonScan()

  /**
   * @returns the weight of the brackets, commas and colons outside of texts
   * @throws {Excess} if the message is too large
   */
  read(piece: Uint8Array): number {
    const before = this.#weight
    this.#bytes += piece.byteLength
    this.#json.read(piece)
    if (this.#bytes > LARGEST.bytes || this.#weight > LARGEST.marks)
      throw new Excess('a message is too large')
    return this.#weight - before
  }

  /** No text of JSON goes on in the next line. */
  endLine(): void {
    this.#bytes += 1
    this.#json.endText()
  }

  /** What follows is another message. */
  endMessage(): void {
    this.#json = new JsonScan()
    this.#bytes = 0
  }

  get #weight(): number {
    return this.#json.values + NAME_WEIGHT * this.#json.names
  }
}
