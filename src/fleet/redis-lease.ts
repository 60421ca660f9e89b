import { setTimeout } from 'node:timers/promises'
import { RunFailure } from '../../graph/run/failure.ts'
import type { RunResponse } from '../http/contract.ts'
import type { ClaimOptions, Lease } from '../tasks/ledger.ts'
import type { Connection } from './connection.ts'

/** How long a claim lasts that is not renewed, in milliseconds. */
export const LEASE_MS = 4_000
/** How often it is renewed, in milliseconds. */
export const BEAT_MS = 1_000
/** How long a reply that is not replayed waits for its callers at other replicas, in milliseconds. */
const HANDOVER_MS = 5_000
/** How often it is tried, once a beat, to store a reply that has been given already. */
const STORE_TRIES = 10
/** How much longer than its run a task is remembered, in milliseconds. */
const MARGIN_MS = 5_000

export function lifeOf({ timeLeftMs }: ClaimOptions): number {
  return Math.ceil(Math.max(0, timeLeftMs)) + MARGIN_MS
}

export interface RedisLeaseParts {
  readonly connection: Connection
  readonly key: string
  /** The claim's own. */
  readonly token: string
  readonly options: ClaimOptions
  /** How long a success is replayed, in milliseconds; 0: never. */
  readonly replayTtlMs: number
  /** Whether Redis has said that the task is ours. Where it was away, another replica may have it as well. */
  readonly isConfirmed: boolean
  /** Given a reply that stands. */
  keep(response: RunResponse): void
}

export class RedisLease implements Lease {
  readonly signal: AbortSignal
  readonly #parts: RedisLeaseParts
  readonly #life: number
  readonly #controller = new AbortController()
  readonly #beating: NodeJS.Timeout
  readonly #endFromOutside = () => this.#controller.abort(this.#parts.options.signal.reason)
  #isConfirmed: boolean
  #hasEffects = false
  /** Another replica has the task too, since Redis was away when it came: each answers its own callers. */
  #isAlone = false

  constructor(parts: RedisLeaseParts) {
    this.#parts = parts
    this.#isConfirmed = parts.isConfirmed
    this.#life = lifeOf(parts.options)
    this.signal = this.#controller.signal
    const { signal } = parts.options
    if (signal.aborted) this.#endFromOutside()
    else signal.addEventListener('abort', this.#endFromOutside, { once: true })
    this.#beating = setInterval(() => void this.#beat(), BEAT_MS)
  }

  async deserted(): Promise<void> {
    const { connection, key } = this.#parts
    while (!this.signal.aborted) {
      const news = connection.news(key, BEAT_MS)
      const waiting = await this.#beat()
      if (waiting === 0 || this.#isAlone || connection.thereForMs === 0) return
      await news
    }
  }

  async effectsBegan(): Promise<void> {
    this.#hasEffects = true
    // From here on it must be ours alone.
    this.#isConfirmed = true
    this.#isAlone = false
    await this.#beat()
    this.signal.throwIfAborted()
  }

  async finish(response: RunResponse): Promise<boolean> {
    this.#end()
    const stored = this.#isAlone ? 1 : await this.#store(response)
    if (stored === undefined) void this.#storeLater(response)
    const stands = stored !== 0 || !this.#isConfirmed
    if (stands) this.#parts.keep(response)
    return stands
  }

  /** The caller has its reply; it may be of use to others once Redis is back. */
  async #storeLater(response: RunResponse): Promise<void> {
    for (let tries = 0; tries < STORE_TRIES; tries += 1) {
      await setTimeout(BEAT_MS, undefined, { ref: false })
      if ((await this.#store(response)) !== undefined) return
    }
  }

  /** @returns 0: the task is another's; `undefined`: nobody knows */
  async #store(response: RunResponse): Promise<number | undefined> {
    const { connection, key, token, replayTtlMs } = this.#parts
    const isKept = response.status === 'success' && replayTtlMs > 0
    const life = isKept ? replayTtlMs : HANDOVER_MS
    const args = [token, JSON.stringify(response), isKept ? 1 : 0, life]
    return await connection.run<number>('finish', key, args)
  }

  async release(): Promise<void> {
    this.#end()
    const { connection, key, token } = this.#parts
    if (!this.#isAlone) await connection.run('release', key, [token])
  }

  /** Renews the lease. @returns how many replicas wait for the reply; `undefined`: nobody knows */
  async #beat(): Promise<number | undefined> {
    if (this.#isAlone) return undefined
    const { connection, key, token } = this.#parts
    const args = [token, LEASE_MS, this.#life, this.#hasEffects ? 1 : 0]
    const waiting = await connection.run<number>('beat', key, args)
    if (waiting === -1) this.#lose()
    else if (waiting !== undefined) this.#isConfirmed = true
    return waiting
  }

  #lose(): void {
    if (!this.#isConfirmed) {
      this.#isAlone = true
      return
    }
    this.#controller.abort(new RunFailure('taken_over', 'another replica has taken the task over'))
  }

  #end(): void {
    clearInterval(this.#beating)
    this.#parts.options.signal.removeEventListener('abort', this.#endFromOutside)
  }
}
