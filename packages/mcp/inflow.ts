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

/** What an HTTP reply is: a stream of events of a few lines each, or one message. */
type ReplyKind = 'events' | 'message'

const [LF, CR] = ['\n', '\r'].map(character => character.charCodeAt(0))

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

  /** A function that counts each piece of an HTTP reply before it is read. It throws an {@link Excess}. */
  counter(kind: ReplyKind): (piece: Uint8Array) => void {
    const scan = new MessageScan()
    const lineCost = kind === 'events' ? LINE_COST : 0
    return piece => {
      let [start, lines, marks] = [0, 0, 0]
      for (let at = 0; at < piece.length; at += 1) {
        if (piece[at] !== LF && piece[at] !== CR) continue
        if (at > start) marks += scan.read(piece.subarray(start, at))
        scan.endLine()
        lines += 1
        start = at + 1
      }
      marks += scan.read(piece.subarray(start))
      this.#spend(piece, marks, lines * lineCost)
    }
  }

  /**
   * A function that counts each piece of a program's output, in which each line is a message, and returns the lines that end in it.
   * It throws an {@link Excess}.
   */
  lineReader(): (piece: Buffer) => Buffer[] {
    const scan = new MessageScan()
    let begun: Buffer[] = []
    return piece => {
      const lines: Buffer[] = []
      let [start, marks] = [0, 0]
      for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
        const last = piece.subarray(start, end)
        marks += scan.read(last)
        scan.endMessage()
        lines.push(Buffer.concat([...begun, last]))
        begun = []
        start = end + 1
      }
      marks += scan.read(piece.subarray(start))
      begun.push(piece.subarray(start))
      this.#spend(piece, marks, lines.length * LINE_COST)
      return lines
    }
  }

  #spend(piece: Uint8Array, marks: number, lineCost: number): void {
    if (!this.#cost.spend(PIECE_COST + piece.byteLength + marks * MARK_COST + lineCost))
      throw this.end('it sends too much')
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
