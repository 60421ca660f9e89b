import { JsonScan } from '@agent-task-service/wire/untrusted'
import { EdgeError } from '../replies/errors.ts'

/** Longest body that is small, in bytes. */
export const SMALL_BODY = 16 * 1024
/** Most that a small body costs, in bytes. */
const SMALL_COST = 4 * SMALL_BODY
/** What a body may hold: far more than any task does. Each level is a value. */
const MOST = { values: 100_000, names: 20_000 } as const
/** What each takes in memory once it is parsed, and what a piece takes beside its bytes until then, in bytes. */
const COST = { value: 64, name: 128, piece: 128 } as const
/** A body comes in so many pieces, and in more only if they have so many bytes on average: reading each takes time. */
const [FEW_PIECES, SHORT_PIECE] = [1_000, 64]

/** What a body holds, counted as it arrives. */
export class BodyScan {
  readonly #maxSize: number
  readonly #json = new JsonScan()
  #size = 0
  #pieces = 0

  /** @param maxSize in bytes */
  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  /** Memory that the body takes so far until its run ends, in bytes. */
  get cost(): number {
    const { values, names } = this.#json
    return this.#size + values * COST.value + names * COST.name + this.#pieces * COST.piece
  }

  get isSmall(): boolean {
    return this.#size <= SMALL_BODY && this.cost <= SMALL_COST
  }

  /** @throws {EdgeError} `body_too_large`, `body_too_complex` */
  add(piece: Uint8Array): void {
    this.#size += piece.byteLength
    this.#pieces += 1
    if (this.#size > this.#maxSize) throw tooLarge(this.#maxSize)
    if (this.#pieces > FEW_PIECES + this.#size / SHORT_PIECE)
      throw new EdgeError('body_too_complex', `expected pieces of ${SHORT_PIECE} bytes and more, got shorter`)
    this.#json.read(piece)
    if (this.#json.values > MOST.values || this.#json.names > MOST.names)
      throw new EdgeError(
        'body_too_complex',
        `expected at most ${MOST.values} values and ${MOST.names} names of members, got more`,
      )
  }
}

/** @param maxSize in bytes */
export function tooLarge(maxSize: number): EdgeError {
  return new EdgeError('body_too_large', `the limit is ${maxSize} bytes`)
}
