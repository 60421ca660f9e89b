import { toText, truncate } from '@agent-task-service/wire/untrusted'
import { RunFailure } from '../failures/run-failure.ts'
import { isOutcomeKnown, ToolError, UnknownOutcome } from '../failures/tool-error.ts'
import type { Call, EffectCall, Lookup, Settlement } from './call.ts'
import { isSameCall } from './call-keys.ts'
import {
  type CallOutcome,
  describeUnknown,
  doneWith,
  type Effect,
  isGenerator,
  type JournalStore,
  MAX_OUTCOMES_BYTES,
  NOT_DONE,
  outcomeBytes,
  withoutText,
} from './call-record.ts'
import type { KeyedCall } from './idempotency-key.ts'

/** Longest result told of a call with other arguments, in characters. */
const MAX_TOLD_LENGTH = 2_000

/** What happens to an effect, for all who watch the run. */
export type EffectState =
  /** It was done before, so its result was given again. */
  | 'replayed'
  /** It could not be stored, so its tool did not run. */
  | 'refused'
  /** It could not be stored, but its tool, which does not say whether it has side effects, ran. */
  | 'not_stored'
  /** The run ended, and nobody knows whether it was done. */
  | 'unknown'

export type EffectReport = (state: EffectState, effect: Effect) => void

/** The calls of a run that have side effects. None of those that the task had before is had again. */
export class Effects {
  readonly #store: JournalStore
  readonly #report: EffectReport
  /** From before this run, by key. */
  readonly #earlier: Map<string, Effect>
  /** Keys of the earlier ones that were done, or may be made again, and of which the model has not read. */
  readonly #unread = new Set<string>()
  /** Those that it reads with its next request. */
  readonly #told = new Set<string>()
  /** Calls of which it is not known how they ended, by key. */
  readonly #open = new Map<string, Effect>()
  /** Those of them that are over, since when. */
  readonly #unknown = new Map<string, number>()
  /** Calls made since a model was last asked, by the id that it gave them: a node that is run again makes them again. */
  readonly #made = new Map<string, Effect>()
  /** What the stored outcomes take. */
  #outcomeBytes = 0

  constructor(store: JournalStore, report: EffectReport) {
    this.#store = store
    this.#report = report
    this.#earlier = new Map(store.effects.map(effect => [effect.key, effect]))
    for (const { key, outcome } of store.effects) {
      if (outcome) this.#outcomeBytes += outcomeBytes(outcome)
      if (outcome?.kind === 'done') this.#unread.add(key)
    }
  }

  /**
   * Finds out about the calls that had begun and not ended before this run.
   *
   * @param settlementOf how that is found out for a tool; `undefined`: it cannot be
   * @throws {RunFailure} `effect_unknown` if that is not possible for each of them
   */
  async settle(settlementOf: (tool: string) => Settlement | undefined): Promise<void> {
    const open = this.#store.effects.filter(({ outcome }) => !outcome)
    const settled = await Promise.allSettled(
      open.map(effect => this.#settle(effect, settlementOf(effect.tool))),
    )
    const known = [...this.#earlier.values()].filter(({ key, outcome }) => outcome || !this.#unread.has(key))
    const unknown = describeUnknown(known)
    if (unknown === undefined) return
    const cause = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    throw new RunFailure('effect_unknown', unknown, { cause: cause?.reason })
  }

  async #settle(effect: Effect, { lookup, honoursKeys }: Partial<Settlement> = {}): Promise<void> {
    if (honoursKeys) this.#unread.add(effect.key)
    if (!lookup) return
    const outcome = await found(effect, lookup)
    this.#earlier.set(effect.key, { ...effect, outcome })
    if (outcome.kind === 'done') this.#unread.add(effect.key)
    else this.#unread.delete(effect.key)
    await this.#write(effect, outcome)
  }

  /** Stores how a call ended, as much of it as there is room for. */
  async #write(effect: Effect, outcome: CallOutcome): Promise<void> {
    const isTooMuch = this.#outcomeBytes + outcomeBytes(outcome) > MAX_OUTCOMES_BYTES
    const kept = isTooMuch ? withoutText(outcome) : outcome
    this.#outcomeBytes += outcomeBytes(kept)
    await this.#store.writeEffect({ ...effect, outcome: kept })
  }

  /** Makes a call, and records that it begins and how it ends; or ends it as it ended before. */
  async once<Result>(
    call: Call<Result>,
    effect: EffectCall,
    perform: () => Promise<Result>,
  ): Promise<Result> {
    const known = await this.#recall(effect)
    const replayed = known && call.replay(known)
    if (replayed) return await replayed
    call.admit?.()
    return await this.#perform(effect, perform)
  }

  /**
   * How the same call ended before; `undefined`: it is to be made.
   *
   * @throws {ToolError} if nobody knows how it ended in this run; or once, if the task had called the tool with other arguments
   *   before this run, which may be this call in other words
   */
  async #recall(call: EffectCall): Promise<CallOutcome | undefined> {
    const { keyed } = call
    const known = this.#madeAlready(keyed) ?? this.#madeBefore(keyed)
    if (known) {
      this.#unread.delete(known.key)
      if (known.outcome) this.#report('replayed', known)
      else keyed.use(known.key)
      return known.outcome
    }
    this.#tellOfOthers(keyed)
    return await this.#lookUpAgain(call)
  }

  /** The same call of the model, if its node is run again, as LangGraph's `retryPolicy` does. */
  #madeAlready(call: KeyedCall): Effect | undefined {
    const made = call.id === undefined ? undefined : this.#made.get(call.id)
    if (!made || !isSameCall(made.key, call.key)) return undefined
    call.giveBack()
    return made
  }

  /** The same call in an earlier run, or one like it that this run has not been answered with. */
  #madeBefore(call: KeyedCall): Effect | undefined {
    const same = this.#earlier.get(call.key)
    if (same) return same.outcome?.kind === 'not_done' ? undefined : same
    // Those that failed are not kept, so the count may differ.
    const other = [...this.#unread].find(key => isSameCall(key, call.key))
    return other === undefined ? undefined : this.#earlier.get(other)
  }

  #tellOfOthers(call: KeyedCall): void {
    const { tool } = call
    const others = [...this.#unread]
      .map(other => this.#earlier.get(other)!)
      .filter(other => other.tool === tool && !isSameCall(other.key, call.key))
    if (others.length === 0) return
    for (const other of others) this.#told.add(other.key)
    call.giveBack()
    throw new ToolError(
      `not run yet: an earlier run of this task had already called ${tool} with other arguments. ${others.map(describeResult).join(' ')} If that was this call, do not repeat it. Else call ${tool} again.`,
    )
  }

  /** For a call that is made again in this run though nobody knows whether it had its effect. */
  async #lookUpAgain({ keyed: call, lookup, honoursKeys }: EffectCall): Promise<CallOutcome | undefined> {
    const equal = [...this.#unknown]
      .filter(([key, since]) => isSameCall(key, call.key) && since <= call.madeAt)
      .map(([key]) => key)
    if (!equal.some(key => this.#open.get(key)?.isDeclared)) return undefined
    const effect = equal.includes(call.key) ? this.#open.get(call.key) : undefined
    const outcome = effect && lookup && (await found(effect, lookup).catch(() => undefined))
    if (effect && !outcome && honoursKeys) return undefined
    if (!effect || !outcome) {
      call.giveBack()
      throw new ToolError(
        `not run: ${call.tool} was called with these arguments before, and nobody knows whether that had its effect. Do not call it with them again${lookup ? ' before that is known' : ''}. Finish the task without it, and say so.`,
      )
    }
    await this.#end(effect, outcome)
    if (outcome.kind !== 'done') return undefined
    this.#report('replayed', effect)
    return outcome
  }

  /** Call when a model is asked: it reads what its calls were answered. */
  modelReads(): void {
    for (const key of this.#told) this.#unread.delete(key)
    this.#told.clear()
    this.#made.clear()
  }

  /**
   * The run ends.
   *
   * @param isSuccess whether it has an answer: then calls of a tool that says nothing about side effects do not count
   * @returns the calls of which nobody knows whether they had their effect, which are reported too
   */
  end(isSuccess: boolean): readonly Effect[] {
    const earlier = [...this.#earlier.values()].filter(({ outcome }) => !outcome)
    const unknown = [...earlier, ...this.#open.values()].filter(({ isDeclared }) => isDeclared || !isSuccess)
    for (const effect of unknown) this.#report('unknown', effect)
    return unknown
  }

  /**
   * @throws {ToolError} if nothing can be stored, so that the call might happen twice
   * @throws {RunFailure} `taken_over` if another replica has the task
   */
  async #perform<Result>(call: EffectCall, work: () => Promise<Result>): Promise<Result> {
    const { key, tool } = call.keyed
    const effect: Effect = { key, tool, begunAt: Date.now(), isDeclared: call.isDeclared }
    await this.#begin(call.keyed, effect)
    try {
      const result = await work()
      if (isGenerator(result)) return this.#readOut(call, effect, result as AsyncIterable<unknown>) as Result
      await this.#done(call, effect, result)
      return result
    } catch (failure) {
      await this.#failed(call, effect, failure)
      throw failure
    }
  }

  /** A generator has not begun its work when the tool returns it. */
  async *#readOut(call: EffectCall, effect: Effect, work: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    try {
      const result = yield* work as AsyncGenerator<unknown>
      await this.#done(call, effect, result)
      return result
    } catch (failure) {
      call.keyed.giveBack()
      await this.#failed(call, effect, failure)
      throw failure
    }
  }

  async #done({ keyed: { id } }: EffectCall, effect: Effect, result: unknown): Promise<void> {
    const outcome = doneWith(result)
    if (id !== undefined) this.#made.set(id, { ...effect, outcome })
    await this.#end(effect, outcome)
  }

  async #failed({ keyed, honoursKeys }: EffectCall, effect: Effect, failure: unknown): Promise<void> {
    if (isOutcomeKnown(failure)) return await this.#end(effect, { kind: 'failed', message: failure.message })
    this.#unknown.set(effect.key, keyed.now)
    if (!effect.isDeclared || !(failure instanceof UnknownOutcome)) return
    const advice = honoursKeys
      ? 'If you make it again, use the same arguments: then it happens once. Else say so in your answer.'
      : 'Do not make it again, also not in other words, unless you can find out that it had none. Say so in your answer.'
    failure.message = `${asSentence(failure.message)} Nobody knows whether this call of ${effect.tool} had its effect. ${advice}`
  }

  async #begin(call: KeyedCall, effect: Effect): Promise<void> {
    const { key, tool, isDeclared } = effect
    this.#earlier.delete(key)
    this.#open.set(key, effect)
    this.#unknown.delete(key)
    if (await this.#store.writeEffect(effect)) return
    this.#report(isDeclared ? 'refused' : 'not_stored', effect)
    if (!isDeclared) return
    call.giveBack()
    await this.#end(effect, NOT_DONE)
    throw new ToolError(
      `the tool ${tool} has side effects. They cannot be recorded now, so they might happen twice, and it does not run. Finish the task without it, and say so.`,
    )
  }

  async #end(effect: Effect, outcome: CallOutcome): Promise<void> {
    this.#open.delete(effect.key)
    this.#unknown.delete(effect.key)
    // If another replica has taken the task over, the run is ended elsewhere.
    await this.#write(effect, outcome).catch(() => undefined)
  }
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** @throws what the lookup throws */
async function found({ key }: Effect, lookup: Lookup): Promise<CallOutcome> {
  const result = await lookup(key)
  return result === undefined ? NOT_DONE : doneWith(result)
}

function describeResult({ outcome }: Effect): string {
  if (!outcome) return 'Nobody knows whether it had its effect.'
  const result = outcome.kind === 'done' ? outcome.result : undefined
  return result === undefined
    ? 'It succeeded, and its result was not kept.'
    : `It returned: ${truncate(toText(result), MAX_TOLD_LENGTH)}.`
}
