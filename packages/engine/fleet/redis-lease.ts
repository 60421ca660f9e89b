import { setTimeout } from 'node:timers/promises'
import type { RunResponse } from '@agent-task-service/contract'
import { RunFailure } from '../failures/run-failure.ts'
import type { Lease } from '../tasks/ledger.ts'
import { BEAT_MS, MARGIN_MS } from './claim-scripts.ts'
import type { Connection } from './connection.ts'

/** Attempts, one per beat, to store a reply that the caller already has. */
const STORE_TRIES = 10

export interface RedisLeaseParts {
  readonly connection: Connection
  readonly key: string
  readonly claim: readonly [token: string, fence: number]
  /** How long the task is remembered, in milliseconds. */
  readonly lifeMs: number
  /** How long a success is replayed, in milliseconds; 0: never. */
  readonly replayTtlMs: number
  /** The in-process lease for the same task. */
  readonly own: Lease
  /** Whether losing this replica during the run counts against the task. */
  readonly lossCounts: boolean
  /** Learns whether a reply counts. */
  onReply(counts: boolean): void
}

export class RedisLease implements Lease {
  readonly signal: AbortSignal
  readonly #parts: RedisLeaseParts
  readonly #lost = new AbortController()
  #beating: NodeJS.Timeout | undefined
  #hasBegun = false
  #hasEffects = false

  constructor(parts: RedisLeaseParts) {
    this.#parts = parts
    this.signal = AbortSignal.any([parts.own.signal, this.#lost.signal])
    this.#beating = setInterval(() => void this.#beat(), BEAT_MS)
  }

  began(): void {
    this.#hasBegun = true
    // At once: the task may end this process before the next heartbeat.
    if (this.#parts.lossCounts) void this.#beat()
  }

  async deserted(): Promise<void> {
    const { connection, key } = this.#parts
    while (!this.signal.aborted) {
      const news = connection.news(key, BEAT_MS)
      if ((await this.#beat()) <= 0 || connection.availableForMs === 0) return
      await news
    }
  }

  async effectsBegan(): Promise<void> {
    this.#hasEffects = true
    // If any other replica has it, for whatever reason, we give up: from here on only one may run it.
    if ((await this.#beat()) < 0) this.#lose()
    this.signal.throwIfAborted()
  }

  async finish(response: RunResponse): Promise<boolean> {
    const { own, replayTtlMs, onReply } = this.#parts
    const isKept = response.status === 'success' && replayTtlMs > 0
    const store = () => this.#end(JSON.stringify(response), isKept ? replayTtlMs : MARGIN_MS, isKept)
    // An answer that stands unasked may be the task's second one, so Redis is asked twice.
    const stands = (await store()) ?? (await store())
    if (stands === -1) this.#lose()
    onReply(!this.#lost.signal.aborted)
    if (this.#lost.signal.aborted) return false
    if (stands === undefined) void storeLater(store)
    return await own.finish(response)
  }

  async release(): Promise<void> {
    await this.#end('', MARGIN_MS)
  }

  /** @returns the number of replicas waiting for the reply; NaN if not known; below 0 if another replica has the task */
  async #beat(): Promise<number> {
    if (!this.#beating) return 0
    const { connection, key, claim, lifeMs, lossCounts } = this.#parts
    const args = [...claim, lifeMs, Number(this.#hasEffects), Number(this.#hasBegun && lossCounts)]
    const waiting = (await connection.run('beat', key, args)) ?? Number.NaN
    if (waiting === -1) this.#lose()
    return waiting
  }

  /** @returns 0 if done; below 0 if another replica has the task; `undefined` if not known */
  async #end(reply: string, lifeMs: number, isKept = false): Promise<number | undefined> {
    clearInterval(this.#beating)
    this.#beating = undefined
    if (this.#lost.signal.aborted) return -1
    const { connection, key, claim } = this.#parts
    return await connection.run('finish', key, [...claim, reply, Number(isKept), lifeMs])
  }

  #lose(): void {
    this.#lost.abort(new RunFailure('taken_over', 'another replica has taken the task over'))
  }
}

/** Keeps trying to store a reply that the caller already has, for others to use once Redis is back. */
async function storeLater(store: () => Promise<number | undefined>): Promise<void> {
  for (let tries = 0; tries < STORE_TRIES; tries += 1) {
    await setTimeout(BEAT_MS, undefined, { ref: false })
    if ((await store()) !== undefined) return
  }
}
