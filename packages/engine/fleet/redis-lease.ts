import { setTimeout } from 'node:timers/promises'
import type { RunResponse } from '@agent-task-service/contract'
import type { Mask } from '@agent-task-service/masking'
import type { Effect, EffectEvent, EffectStore } from '../effects/effect.ts'
import { RunFailure } from '../failures/run-failure.ts'
import type { Lease } from '../tasks/ledger.ts'
import { BEAT_MS, EFFECTS_KEPT_MS, FORGOTTEN, MARGIN_MS } from './claim-scripts.ts'
import type { Connection } from './connection.ts'
import { effectField } from './effect-fields.ts'

/** Attempts, one per beat, to store a reply that the caller already has. */
const STORE_TRIES = 10

export interface RedisLeaseParts {
  readonly connection: Connection
  readonly key: string
  readonly claim: readonly [token: string, fence: number, runId: string]
  /** The run's effects before it was interrupted. */
  readonly earlier: readonly Effect[]
  /** Whether outcomes are stored; if not, a run that is taken over after it had effects ends. */
  readonly hasJournal: boolean
  readonly mask: Mask
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
  onEffect(event: EffectEvent, effect: Effect): void
  /** The run had effects, and another replica ran the task too, after Redis had lost it. */
  onRival(): void
}

export class RedisLease implements Lease {
  readonly signal: AbortSignal
  readonly effects: EffectStore
  readonly #parts: RedisLeaseParts
  readonly #lost = new AbortController()
  /** What is known of the run's effects, by key. */
  readonly #effects: Map<string, Effect>
  /** Those of which Redis knows less. */
  readonly #unsent = new Set<Effect>()
  #beating: NodeJS.Timeout | undefined
  #hasBegun = false

  constructor(parts: RedisLeaseParts) {
    this.#parts = parts
    const { own, claim, earlier, onEffect } = parts
    this.signal = AbortSignal.any([own.signal, this.#lost.signal])
    this.#effects = new Map(earlier.map(effect => [effect.key, effect]))
    this.effects = { runId: claim[2], earlier, write: effect => this.#write(effect), report: onEffect }
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

  async finish(response: RunResponse): Promise<boolean> {
    const { own, replayTtlMs, onReply, onEffect, onRival } = this.#parts
    const isKept = response.status === 'success' && replayTtlMs > 0
    const unknown = response.status === 'success' ? [] : this.#unknown
    const isInterrupted = unknown.length > 0
    const lifeMs = isKept ? replayTtlMs : MARGIN_MS
    const store = () => this.#end(JSON.stringify(response), lifeMs, isKept, isInterrupted)
    // An answer that stands unasked may be the task's second one, so Redis is asked twice.
    const stands = (await store()) ?? (await store())
    if (stands === -1) this.#lose()
    onReply(!this.#lost.signal.aborted)
    if (this.#lost.signal.aborted) return false
    for (const effect of unknown) onEffect('unknown', effect)
    if (stands === -2 && this.#hasEffects) onRival()
    if (stands === undefined) void storeLater(store)
    return await own.finish(response)
  }

  async release(): Promise<void> {
    const { hasJournal, onEffect } = this.#parts
    const unknown = this.#unknown
    // Nobody has got a reply, so what was done must be known when the task is sent again.
    const isInterrupted = unknown.length > 0 || (hasJournal && this.#hasEffects)
    const store = () => this.#end('', MARGIN_MS, false, isInterrupted)
    const stands = await store()
    if (stands === -1) return
    for (const effect of unknown) onEffect('unknown', effect)
    if (stands === undefined && isInterrupted) void storeLater(store)
  }

  /** The calls of which nobody knows whether they had their effect. */
  get #unknown(): readonly Effect[] {
    const { hasJournal, earlier } = this.#parts
    const open = [...this.#effects.values()].filter(({ outcome }) => !outcome)
    // Without a journal, calls of this replica seem open for ever.
    return open.filter(effect => hasJournal || earlier.includes(effect))
  }

  async #write(effect: Effect): Promise<boolean> {
    const { connection, hasJournal } = this.#parts
    if (effect.outcome && !hasJournal) return true
    // While others announce their runs again, one of them may turn out to have had effects.
    if (!this.#hasEffects) await connection.settled(this.signal)
    const before = this.#effects.get(effect.key)
    if (before) this.#unsent.delete(before)
    this.#effects.set(effect.key, effect)
    this.#unsent.add(effect)
    let stands = await this.#beat()
    if (Number.isNaN(stands)) stands = await this.#beat()
    // If any other replica has it, for whatever reason, we give up: from here on only one may run it.
    if (stands < 0) this.#lose()
    this.signal.throwIfAborted()
    return !this.#unsent.has(effect) || !hasJournal
  }

  /** Whether a call has begun that may have had its effect. */
  get #hasEffects(): boolean {
    return [...this.#effects.values()].some(effect =>
      effect.outcome ? effect.outcome.kind !== 'not_done' : !this.#unsent.has(effect),
    )
  }

  /** @returns the number of replicas waiting for the reply; NaN if not known; below 0 if another replica has the task */
  async #beat(): Promise<number> {
    if (!this.#beating) return 0
    const standing = await this.#send([...this.#unsent])
    const waiting = standing === FORGOTTEN ? await this.#send([...this.#effects.values()]) : standing
    if (waiting === -1) this.#lose()
    return waiting ?? Number.NaN
  }

  async #send(effects: readonly Effect[]): Promise<number | undefined> {
    const { connection, key, claim, lifeMs, lossCounts, mask } = this.#parts
    const fields = effects.flatMap(effect => effectField(effect, mask))
    const counts = Number(this.#hasBegun && lossCounts)
    const args = [...claim, lifeMs, counts, Number(this.#hasEffects), this.#effects.size, ...fields]
    const standing = await connection.run('beat', key, args)
    if (standing !== undefined && standing >= 0) for (const effect of effects) this.#unsent.delete(effect)
    return standing
  }

  /** @returns 0 if done; below 0 if another replica has the task; `undefined` if not known */
  async #end(
    reply: string,
    lifeMs: number,
    isKept: boolean,
    isInterrupted: boolean,
  ): Promise<number | undefined> {
    clearInterval(this.#beating)
    this.#beating = undefined
    if (this.#lost.signal.aborted) return -1
    const { connection, key, claim, mask } = this.#parts
    const goesOn = isInterrupted || reply === ''
    const effects = goesOn ? [...this.#effects.values()] : []
    const fields = effects.flatMap(effect => effectField(effect, mask))
    const life = isInterrupted ? EFFECTS_KEPT_MS : lifeMs
    const states = [Number(isKept), life, Number(isInterrupted), Number(this.#hasEffects)]
    return await connection.run('finish', key, [...claim, reply, ...states, ...fields])
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
