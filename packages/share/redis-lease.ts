import { setTimeout } from 'node:timers/promises'
import {
  EFFECTS_KEPT_MS,
  type Effect,
  type JournalStore,
  keptAfterReply,
  type Lease,
  mayHaveHappened,
  type NotRecorded,
  type Reply,
  RunFailure,
} from '@agent-task-service/engine/share'
import type { Mask } from '@agent-task-service/wire/masking'
import { BEAT_MS, CLOSED_LEASE_MS, type Claimed, MARGIN_MS } from './claim-scripts.ts'
import type { Connection } from './connection.ts'
import type { ScriptAnswer } from './script-results.ts'
import { effectFields, stepFields } from './task-fields.ts'

/** Whose the task is; `undefined`: not known. */
type Standing = ScriptAnswer<'beat'> | undefined

/** How a run ends. */
interface End {
  /** As JSON; absent: there is none. */
  readonly response?: string
  /** Whether it is replayed. */
  readonly isKept: boolean
  /** Whether the task's next run must know what this one did. */
  readonly goesOn: boolean
  readonly effects: readonly Effect[]
  /** How long the task is remembered, in milliseconds. */
  readonly lifeMs: number
}

/** Attempts, one per beat, to store a reply that the caller already has. */
const STORE_TRIES = 10

export interface RedisLeaseOptions {
  readonly connection: Connection
  readonly key: string
  readonly claim: Claimed
  /** When Redis was asked for it, in `performance.now()` milliseconds. */
  readonly claimedAt: number
  /** What an answer depends on; another agent's answers are not replayed. */
  readonly agentDigest: string
  /** The task's effects before this run. */
  readonly earlier: readonly Effect[]
  /** Records of its steps before this run, by key; absent: none are kept. */
  readonly earlierSteps: ReadonlyMap<string, string> | undefined
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
  /** A step is not recorded, for the first time for this reason. */
  onNotRecorded(reason: NotRecorded): void
  /** The run had effects, and another replica ran the task too, after Redis had lost it. */
  onRival(): void
}

export class RedisLease implements Lease {
  readonly signal: AbortSignal
  readonly journal: JournalStore
  readonly #options: RedisLeaseOptions
  readonly #lost = new AbortController()
  /** What is known of the run's effects, by key. */
  readonly #effects: Map<string, Effect>
  /** Those of which Redis knows less. */
  readonly #unsent = new Set<Effect>()
  /** Records of steps that Redis does not have yet, by key. */
  readonly #unsentSteps = new Map<string, string>()
  #hasSteps: boolean
  /** When Redis was last asked whose the task is, and said that it is ours. */
  #oursAt: number
  /** Reasons that were told. */
  readonly #notRecorded = new Set<NotRecorded>()
  /** Ends the heartbeats; absent: they have ended. */
  #beating: (() => void) | undefined
  #hasBegun = false

  constructor(options: RedisLeaseOptions) {
    this.#options = options
    const { signal, claim, earlier, earlierSteps } = options
    this.#oursAt = options.claimedAt
    this.signal = AbortSignal.any([signal, this.#lost.signal])
    this.#effects = new Map(earlier.map(effect => [effect.key, effect]))
    this.#hasSteps = earlierSteps !== undefined && earlierSteps.size > 0
    this.journal = {
      runId: claim.run,
      effects: earlier,
      steps: earlierSteps,
      writeEffect: effect => this.#writeEffect(effect),
      writeStep: (key, outcome, isDueNow) => this.#writeStep(key, outcome, isDueNow),
      skip: reason => this.#skip(reason),
      assertOurs: () => this.#assertOurs(),
    }
    this.#beating = options.connection.eachBeat(() => void this.#beat())
  }

  began(): void {
    this.#hasBegun = true
    // At once: the task may end this process before the next heartbeat.
    if (this.#options.lossCounts) void this.#beat()
  }

  async deserted(): Promise<void> {
    const { connection, key } = this.#options
    while (!this.signal.aborted) {
      const news = connection.news(key, BEAT_MS)
      const standing = await this.#beat()
      const isAwaited = !standing || (standing.state === 'ours' && standing.waiting > 0)
      if (!isAwaited || connection.availableForMs === 0) return
      await news
    }
  }

  async finish(response: Reply): Promise<boolean> {
    const { keep, replayTtlMs, onReply, onRival } = this.#options
    const isSuccess = response.status === 'success'
    const isKept = isSuccess && replayTtlMs > 0
    const effects = keptAfterReply(this.#known, isSuccess)
    const goesOn = !isSuccess && effects.length > 0
    const lifeMs = goesOn ? EFFECTS_KEPT_MS : isKept ? replayTtlMs : MARGIN_MS
    const store = () => this.#end({ response: JSON.stringify(response), isKept, goesOn, effects, lifeMs })
    // An answer that stands unasked may be the task's second one, so Redis is asked twice.
    const standing = (await store()) ?? (await store())
    if (standing?.state === 'taken_over') this.#lose()
    onReply(!this.#lost.signal.aborted)
    if (this.#lost.signal.aborted) return false
    if (standing?.state === 'rival' && this.#hasEffects) onRival()
    if (!standing) void storeLater(store)
    keep(response)
    return true
  }

  async release(): Promise<void> {
    // Nobody has got a reply, so what was done must be known when the task is sent again.
    const hasHappened = this.#known.some(mayHaveHappened)
    const goesOn = hasHappened || this.#hasSteps
    const lifeMs = hasHappened ? EFFECTS_KEPT_MS : goesOn ? this.#options.lifeMs : MARGIN_MS
    const store = () => this.#end({ isKept: false, goesOn, effects: [...this.#effects.values()], lifeMs })
    if (!(await store()) && goesOn) void storeLater(store)
  }

  /** The effects of which Redis knows how they ended. Without a journal, those of this replica seem open for ever. */
  get #known(): readonly Effect[] {
    const { hasJournal, earlier } = this.#options
    const all = [...this.#effects.values()]
    return hasJournal ? all : all.filter(effect => earlier.includes(effect))
  }

  async #writeEffect(effect: Effect): Promise<boolean> {
    const { connection, hasJournal } = this.#options
    if (effect.outcome && !hasJournal) return true
    // While others announce their runs again, one of them may turn out to have had effects.
    if (!this.#hasEffects) await connection.settled(this.signal)
    const before = this.#effects.get(effect.key)
    if (before) this.#unsent.delete(before)
    this.#effects.set(effect.key, effect)
    this.#unsent.add(effect)
    const standing = (await this.#beat()) ?? (await this.#beat())
    // If any other replica has it, for whatever reason, we give up: from here on only one may run it.
    if (standing && standing.state !== 'ours') this.#lose()
    this.signal.throwIfAborted()
    return !this.#unsent.has(effect) || !hasJournal
  }

  async #writeStep(key: string, record: string, isDueNow: boolean): Promise<void> {
    const { connection, mask } = this.#options
    // A call that nobody waited for may end after its run.
    if (!this.#beating) return
    if (mask(record) !== record) return this.#skip('masked')
    this.#unsentSteps.set(key, record)
    if (isDueNow && connection.availableForMs > 0) await this.#beat()
    this.signal.throwIfAborted()
  }

  /** A process that is suspended beats no more, and does not know it when it goes on. */
  async #assertOurs(): Promise<void> {
    if (performance.now() - this.#oursAt > CLOSED_LEASE_MS) await this.#beat()
    this.signal.throwIfAborted()
  }

  #skip(reason: NotRecorded): void {
    if (!this.#notRecorded.has(reason)) this.#options.onNotRecorded(reason)
    this.#notRecorded.add(reason)
  }

  /** Whether a call has begun that may have had its effect. */
  get #hasEffects(): boolean {
    return [...this.#effects.values()].some(effect =>
      effect.outcome ? effect.outcome.kind !== 'not_done' : !this.#unsent.has(effect),
    )
  }

  async #beat(): Promise<Standing> {
    if (!this.#beating) return { state: 'ours', waiting: 0, isCopied: true }
    const first = await this.#send([...this.#unsent])
    const standing = first?.state === 'forgotten' ? await this.#send([...this.#effects.values()]) : first
    if (standing?.state === 'taken_over') this.#lose()
    return standing
  }

  async #send(effects: readonly Effect[]): Promise<Standing> {
    const { connection, key, claim, lifeMs, lossCounts, mask } = this.#options
    const steps = [...this.#unsentSteps]
    this.#unsentSteps.clear()
    const askedAt = performance.now()
    const given = {
      ...claim,
      lifeMs,
      lossCounts: this.#hasBegun && lossCounts,
      hasEffects: this.#hasEffects,
      effectCount: this.#effects.size,
      ...effectFields(effects, mask),
      ...stepFields(steps),
    }
    const hasEffects = effects.length > 0
    const standing = await (hasEffects ? connection.write(key, given) : connection.run('beat', key, given))
    if (standing?.state === 'ours') {
      this.#oursAt = askedAt
      if (standing.isCopied) for (const effect of effects) this.#unsent.delete(effect)
      if (steps.length > 0) this.#hasSteps = true
    } else if (!standing || standing.state === 'forgotten')
      for (const [step, record] of steps) this.#unsentSteps.set(step, record)
    return standing
  }

  /** @returns `ours` once it is stored */
  async #end({ effects, ...end }: End): Promise<Standing> {
    this.#beating?.()
    this.#beating = undefined
    if (this.#lost.signal.aborted) return { state: 'taken_over' }
    const { connection, key, claim, agentDigest, mask } = this.#options
    const given = { ...claim, ...end, hasEffects: this.#hasEffects, agent: agentDigest }
    return await connection.run('finish', key, { ...given, ...effectFields(effects, mask) })
  }

  #lose(): void {
    this.#lost.abort(new RunFailure('taken_over', 'another replica has taken the task over'))
  }
}

/** Keeps trying to store a reply that the caller already has, for others to use once Redis is back. */
async function storeLater(store: () => Promise<Standing>): Promise<void> {
  for (let tries = 0; tries < STORE_TRIES; tries += 1) {
    await setTimeout(BEAT_MS, undefined, { ref: false })
    if (await store()) return
  }
}
