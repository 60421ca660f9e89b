import { EdgeError, full } from '../replies/errors.ts'

/** A body up to this size, in bytes, is taken however many others are held: the number of runs is limited too. */
export const SMALL_BODY = 16 * 1024

interface Arriving {
  /** Bytes so far. */
  size: number
  /** Ends the reading of the body, since others need its room. */
  giveUp(): void
}

/** The memory for the bodies of requests, from their first bytes to the end of their runs. */
export class BodyRoom {
  readonly #maxHeld: number
  #held = 0
  /** Those over `SMALL_BODY` that are not complete; the one that has been silent longest comes first. */
  readonly #arriving = new Set<Arriving>()

  /** @param maxHeld bytes for all bodies together; small ones may exceed it */
  constructor(maxHeld: number) {
    this.#maxHeld = maxHeld
  }

  /** Holds a body, or part of it, of this many bytes until `release` is called with as many. */
  hold(bytes: number): void {
    this.#held += bytes
  }

  release(bytes: number): void {
    this.#held -= bytes
  }

  /** Whether a body of this many bytes could find room, even if those that are still arriving were given up. */
  hasRoomFor(bytes: number): boolean {
    const arriving = [...this.#arriving].reduce((sum, { size }) => sum + size, 0)
    return bytes <= SMALL_BODY || this.#held - arriving + bytes <= this.#maxHeld
  }

  /**
   * Reads a body and holds what arrives. For want of room, the bodies that have been silent longest are given up first.
   *
   * @param maxSize in bytes
   * @throws {EdgeError} `full` if it finds no room or was given up; `body_too_large`
   */
  async read(stream: ReadableStream<Uint8Array>, maxSize: number): Promise<Buffer> {
    const reader = stream.getReader()
    const parts: Uint8Array[] = []
    let isGivenUp = false
    const body: Arriving = {
      size: 0,
      giveUp: () => {
        isGivenUp = true
        // The read that waits ends at once. What still arrives is not kept.
        reader.cancel().catch(() => undefined)
      },
    }
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (isGivenUp) throw full()
        if (done) break
        this.#grow(body, value.byteLength)
        if (body.size > maxSize) throw tooLarge(maxSize)
        parts.push(value)
      }
      this.#arriving.delete(body)
      return Buffer.concat(parts)
    } catch (error) {
      if (!isGivenUp) this.#leave(body)
      throw error
    }
  }

  #grow(body: Arriving, bytes: number): void {
    body.size += bytes
    this.hold(bytes)
    // Now the last to be given up.
    this.#arriving.delete(body)
    if (body.size <= SMALL_BODY) return
    for (const silent of this.#arriving) {
      if (this.#held <= this.#maxHeld) break
      this.#leave(silent)
      silent.giveUp()
    }
    if (this.#held > this.#maxHeld) throw full()
    this.#arriving.add(body)
  }

  #leave(body: Arriving): void {
    this.#arriving.delete(body)
    this.release(body.size)
  }
}

export function tooLarge(maxSize: number): EdgeError {
  return new EdgeError('body_too_large', `the limit is ${maxSize} bytes`)
}
