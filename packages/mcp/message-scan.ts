import { JsonScan } from '@agent-task-service/wire/untrusted'

/** A server sent or asked more than it may, or does not read. The message is for the log, in our own words. */
export class Excess extends Error {
  override readonly name = 'Excess'
}

/** Longest message, in bytes after decompression. */
const MAX_BYTES = 10 * 2 ** 20
/** Most brackets, commas and colons of a message, a colon weighing five: what is parsed takes many times the memory of its text. */
const MAX_MARKS = 1_000_000

/** The most that a message may hold. */
export const LARGEST = { bytes: MAX_BYTES, marks: MAX_MARKS } as const

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
    if (this.#bytes > MAX_BYTES || this.#weight > MAX_MARKS) throw new Excess('a message is too large')
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
