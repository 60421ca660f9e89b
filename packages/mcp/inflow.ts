import { Excess, LARGEST, MessageScan } from './message-scan.ts'

/** What reading costs us, in units of some 10 ns; a byte costs one. */
const [MARK_COST, PIECE_COST, LINE_COST] = [12, 500, 2_000]
/** What a server may send unasked: at once, and in each second. */
const [UNASKED, UNASKED_PER_SECOND] = [2_000_000, 200_000]
/** What it may ask of us: at once, and in each second. Over HTTP each answer takes a connection. */
const [REQUESTS, REQUESTS_PER_SECOND] = [50, 1]
/** How long a reply may still come after we have given up on it. */
const LATE_MS = 60_000

/** What the reply to a call may cost, and those to reading the list of tools. */
export const REPLY_COST = { call: LARGEST.bytes + LARGEST.marks * MARK_COST, list: 16_000_000 } as const

/** How the messages of a stream are told apart: each line is one, an event of a few lines is, or the whole stream is. */
export type Framing = 'lines' | 'events' | 'whole'

/** Bounds what a server sends, before anything parses or keeps it. A flood costs the server its connection. */
export class Inflow {
  readonly #onExcess: (excess: Excess) => void
  readonly #cost = new Allowance(UNASKED, UNASKED_PER_SECOND)
  readonly #requests = new Allowance(REQUESTS, REQUESTS_PER_SECOND)

  /** @param onExcess must end the connection */
  constructor(onExcess: (excess: Excess) => void) {
    this.#onExcess = onExcess
  }

  /** Does work during which the server may send this much more. */
  async during<Result>(cost: number, work: () => Promise<Result>): Promise<Result> {
    this.#cost.raise(cost)
    try {
      const result = await work()
      this.#cost.raise(-cost)
      return result
    } catch (error) {
      setTimeout(() => this.#cost.raise(-cost), LATE_MS).unref()
      throw error
    }
  }

  /** A function to call with each piece of a stream before it is read. It throws an {@link Excess}. */
  counter(framing: Framing): (piece: Uint8Array) => void {
    const scan = new MessageScan(framing === 'lines')
    const lineCost = framing === 'whole' ? 0 : LINE_COST
    return piece => {
      const { lines, marks } = scan.read(piece)
      const cost = PIECE_COST + piece.byteLength + marks * MARK_COST + lines * lineCost
      if (!this.#cost.spend(cost)) throw this.end('it sends too much')
    }
  }

  /** Counts a request of the server. @throws {Excess} */
  countRequest(): void {
    if (!this.#requests.spend(1)) throw this.end('it asks too much')
  }

  /** Has the connection end. */
  end(reason: string): Excess {
    const excess = new Excess(reason)
    this.#onExcess(excess)
    return excess
  }
}

/** An amount that grows again with time, up to a limit. */
class Allowance {
  #limit: number
  #left: number
  readonly #perSecond: number
  #at = performance.now()

  constructor(limit: number, perSecond: number) {
    this.#limit = limit
    this.#left = limit
    this.#perSecond = perSecond
  }

  /** Raises the limit, and what is left of it; a negative amount takes that back. */
  raise(amount: number): void {
    this.#limit += amount
    this.#left = Math.min(this.#left + Math.max(0, amount), this.#limit)
  }

  /** @returns whether there was enough left */
  spend(amount: number): boolean {
    const now = performance.now()
    this.#left = Math.min(this.#left + ((now - this.#at) / 1000) * this.#perSecond, this.#limit) - amount
    this.#at = now
    return this.#left >= 0
  }
}
