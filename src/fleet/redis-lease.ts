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
  /** The claim's number; 0: Redis was away, and has not been asked. */
  readonly fence: number
  readonly options: ClaimOptions
  /** How long a success is replayed, in milliseconds; 0: never. */
  readonly replayTtlMs: number
  /** Given a reply that stands. */
  keep(response: RunResponse): void
}

export class RedisLease implements Lease {
  readonly signal: AbortSignal
  readonly #parts: RedisLeaseParts
  readonly #controller = new AbortController()
  readonly #beating: NodeJS.Timeout
  readonly #endFromOutside = () => this.#controller.abort(this.#parts.options.signal.reason)
  #fence: number
  #hasEffects = false
  #isLost = false
  /** Another replica has the task too, since Redis was away or forgot: each answers its own callers. */
  #isAlone = false

  constructor(parts: RedisLeaseParts) {
    this.#parts = parts
    this.#fence = parts.fence
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
    // Whoever else has it, by whatever accident: from here on it must be ours alone.
    if ((await this.#renew()) < 0) this.#lose()
    this.signal.throwIfAborted()
  }

  async finish(response: RunResponse): Promise<boolean> {
    this.#end()
    const stored = this.#isAlone || this.#isLost ? undefined : await this.#store(response)
    if (this.#isLost || (stored === -1 && this.#fence > 0)) return false
    if (stored === undefined && !this.#isAlone) void this.#storeLater(response)
    this.#parts.keep(response)
    return true
  }

  async release(): Promise<void> {
    this.#end()
    const { connection, key, token } = this.#parts
    if (!this.#isAlone) await connection.run('release', key, [token])
  }

  /** @returns how many replicas wait for the reply; not a number: nobody knows; below 0: the task is a rival's */
  async #renew(): Promise<number> {
    const { connection, key, token, options } = this.#parts
    const args = [token, this.#fence, LEASE_MS, lifeOf(options), Number(this.#hasEffects)]
    const waiting = (await connection.run<number>('beat', key, args)) ?? Number.NaN
    if (waiting >= 0) this.#fence = Math.max(1, this.#fence)
    return waiting
  }

  async #beat(): Promise<number> {
    if (this.#isAlone) return Number.NaN
    const waiting = await this.#renew()
    if (waiting === -1 && this.#fence > 0) this.#lose()
    else if (waiting < 0) this.#isAlone = true
    return waiting
  }

  #lose(): void {
    this.#isLost = true
    this.#controller.abort(new RunFailure('taken_over', 'another replica has taken the task over'))
  }

  /** @returns as `#renew`; `undefined`: nobody knows */
  async #store(response: RunResponse): Promise<number | undefined> {
    const { connection, key, token, replayTtlMs } = this.#parts
    const isKept = response.status === 'success' && replayTtlMs > 0
    const life = isKept ? replayTtlMs : HANDOVER_MS
    const args = [token, this.#fence, JSON.stringify(response), Number(isKept), life]
    return await connection.run<number>('finish', key, args)
  }

  /** The caller has its reply; it may be of use to others once Redis is back. */
  async #storeLater(response: RunResponse): Promise<void> {
    for (let tries = 0; tries < STORE_TRIES; tries += 1) {
      await setTimeout(BEAT_MS, undefined, { ref: false })
      if ((await this.#store(response)) !== undefined) return
    }
  }

  #end(): void {
    clearInterval(this.#beating)
    this.#parts.options.signal.removeEventListener('abort', this.#endFromOutside)
  }
}
