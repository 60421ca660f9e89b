import { setTimeout } from 'node:timers/promises'
import type { Mask } from '@agent-task-service/masking'
import {
  EFFECTS_KEPT_MS,
  type Effect,
  type EffectStore,
  keptAfterReply,
  mayHaveHappened,
} from '../effects/effect.ts'
import { RunFailure } from '../failures/run-failure.ts'
import type { Lease } from '../tasks/ledger.ts'
import type { Reply } from '../wire/encode-reply.ts'
import { BEAT_MS, FORGOTTEN, MARGIN_MS } from './claim-scripts.ts'
import type { Connection } from './connection.ts'
import { effectField } from './effect-fields.ts'

/** Attempts, one per beat, to store a reply that the caller already has. */
const STORE_TRIES = 10

export interface RedisLeaseParts {
  readonly connection: Connection
  readonly key: string
  readonly claim: readonly [token: string, fence: number, runId: string]
  /** What the answer depends on. */
  readonly agentDigest: string
  /** The task's effects before this run. */
  readonly earlier: readonly Effect[]
  /** Whether outcomes are stored; if not, a run that is taken over after it had effects ends. */
  readonly hasJournal: boolean
  readonly mask: Mask
  /** How long the task is remembered, in milliseconds. */
  readonly lifeMs: number
  /** How long a success is replayed, in milliseconds; 0: never. */
  readonly replayTtlMs: number
  /** Ends the run early. */
  readonly signal: AbortSignal
  /** Keeps a reply that counts for this replica's own callers. */
  keep(response: Reply): void
  /** Whether losing this replica during the run counts against the task. */
  readonly lossCounts: boolean
  /** Learns whether a reply counts. */
  onReply(counts: boolean): void
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
    const { signal, claim, earlier } = parts
    this.signal = AbortSignal.any([signal, this.#lost.signal])
    this.#effects = new Map(earlier.map(effect => [effect.key, effect]))
    this.effects = { runId: claim[2], earlier, write: effect => this.#write(effect) }
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

  async finish(response: Reply): Promise<boolean> {
    const { keep, replayTtlMs, onReply, onRival } = this.#parts
    const isSuccess = response.status === 'success'
    const isKept = isSuccess && replayTtlMs > 0
    const effects = keptAfterReply(this.#known, isSuccess)
    const goesOn = !isSuccess && effects.length > 0
    const store = () => this.#end(JSON.stringify(response), isKept, goesOn, effects)
    // An answer that stands unasked may be the task's second one, so Redis is asked twice.
    const stands = (await store()) ?? (await store())
    if (stands === -1) this.#lose()
    onReply(!this.#lost.signal.aborted)
    if (this.#lost.signal.aborted) return false
    if (stands === -2 && this.#hasEffects) onRival()
    if (stands === undefined) void storeLater(store)
    keep(response)
    return true
  }

  async release(): Promise<void> {
    // Nobody has got a reply, so what was done must be known when the task is sent again.
    const goesOn = this.#known.some(mayHaveHappened)
    const store = () => this.#end('', false, goesOn, [...this.#effects.values()])
    if ((await store()) === undefined && goesOn) void storeLater(store)
  }

  /** The effects of which Redis knows how they ended. Without a journal, those of this replica seem open for ever. */
  get #known(): readonly Effect[] {
    const { hasJournal, earlier } = this.#parts
    const all = [...this.#effects.values()]
    return hasJournal ? all : all.filter(effect => earlier.includes(effect))
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

  /**
   * @param reply "": none
   * @param isKept whether it is replayed
   * @param goesOn whether the task's next run must know the effects
   * @returns 0 if done; below 0 if another replica has the task; `undefined` if not known
   */
  async #end(
    reply: string,
    isKept: boolean,
    goesOn: boolean,
    effects: readonly Effect[],
  ): Promise<number | undefined> {
    clearInterval(this.#beating)
    this.#beating = undefined
    if (this.#lost.signal.aborted) return -1
    const { connection, key, claim, agentDigest, replayTtlMs, mask } = this.#parts
    const lifeMs = goesOn ? EFFECTS_KEPT_MS : isKept ? replayTtlMs : MARGIN_MS
    const flags = [Number(isKept), lifeMs, Number(goesOn), Number(this.#hasEffects), agentDigest]
    const fields = effects.flatMap(effect => effectField(effect, mask))
    return await connection.run('finish', key, [...claim, reply, ...flags, ...fields])
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
