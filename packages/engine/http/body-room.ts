import { full } from '../replies/errors.ts'
import { type BodyScan, SMALL_BODY } from './body-scan.ts'

interface Arriving {
  /** Bytes that are held for it. */
  held: number
  /** Ends the reading of the body, since others need its room. */
  giveUp(): void
}

/**
 * The memory for the bodies of requests, from their first bytes to the end of their runs. A small body is taken however many
 * others are held: the number of runs is limited too.
 */
export class BodyRoom {
  readonly #maxHeld: number
  #held = 0
  /** Those that are not small and not complete; the one that has been silent longest comes first. */
  readonly #arriving = new Set<Arriving>()

  /** @param maxHeld bytes for all bodies together; small ones may exceed it */
  constructor(maxHeld: number) {
    this.#maxHeld = maxHeld
  }

  /** Holds this many bytes until `release` is called with as many. */
  hold(bytes: number): void {
    this.#held += bytes
  }

  release(bytes: number): void {
    this.#held -= bytes
  }

  /** Whether a body of this many bytes could find room, even if those that are still arriving were given up. */
  hasRoomFor(bytes: number): boolean {
    const arriving = [...this.#arriving].reduce((sum, { held }) => sum + held, 0)
    return bytes <= SMALL_BODY || this.#held - arriving + bytes <= this.#maxHeld
  }

  /**
   * Reads a body and holds what it costs. For want of room, the bodies that have been silent longest are given up first.
   *
   * @param scan of the body; what it costs in the end is to be released
   * @throws {EdgeError} `full` if it finds no room or was given up; what the scan throws
   */
  async read(stream: ReadableStream<Uint8Array>, scan: BodyScan): Promise<Buffer> {
    const reader = stream.getReader()
    const parts: Uint8Array[] = []
    let isGivenUp = false
    const body: Arriving = {
      held: 0,
      giveUp: () => {
        isGivenUp = true
        stop()
      },
    }
    // A read that waits ends at once. What still arrives is not kept.
    const stop = () => void reader.cancel().catch(() => undefined)
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (isGivenUp) throw full()
        if (done) break
        scan.add(value)
        this.#grow(body, scan)
        parts.push(value)
      }
      this.#arriving.delete(body)
      return Buffer.concat(parts)
    } catch (error) {
      if (!isGivenUp) this.#leave(body)
      stop()
      throw error
    }
  }

  #grow(body: Arriving, { cost, isSmall }: BodyScan): void {
    this.hold(cost - body.held)
    body.held = cost
    // Now the last to be given up.
    this.#arriving.delete(body)
    if (isSmall) return
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
    this.release(body.held)
  }
}
