import { toText, truncate } from '@agent-task-service/wire/untrusted'
import { RunFailure } from '../failures/run-failure.ts'
import { isOutcomeKnown, ToolError, UnknownOutcome } from '../failures/tool-error.ts'
import { isSameCall } from './call-keys.ts'
import {
  describeUnknown,
  doneWith,
  type Effect,
  type EffectOutcome,
  type EffectStore,
  isGenerator,
  MAX_OUTCOMES_BYTES,
  NOT_DONE,
  sizeOf,
  withoutText,
} from './effect.ts'
import type { KeyedCall } from './idempotency-key.ts'

/** Longest result told of a call with other arguments, in characters. */
const MAX_TOLD_LENGTH = 2_000

/**
 * Finds out whether a call happened: its result if so, `undefined` if it did not and never will. Rejects if that cannot be
 * found out.
 */
export type Lookup = (key: string) => Promise<unknown>

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

type EffectReport = (state: EffectState, effect: Effect) => void

/** What a run knows of its effects. None of those that the task had before is had again. */
export class EffectJournal {
  readonly #store: EffectStore
  readonly #report: EffectReport
  /** From before this run, by key. */
  readonly #earlier: Map<string, Effect>
  /** Keys of the earlier ones that were done and whose results the model has not read. */
  readonly #unread = new Set<string>()
  /** Those that it reads with its next request. */
  readonly #told = new Set<string>()
  /** Calls of which it is not known how they ended, by key. */
  readonly #open = new Map<string, Effect>()
  /** Those of them that are over. */
  readonly #unknown = new Set<string>()
  /** Calls made since a model was last asked, by the id that it gave them: a node that is run again makes them again. */
  readonly #made = new Map<string, Effect>()
  /** What the stored outcomes take. */
  #outcomeBytes = 0

  constructor(store: EffectStore, report: EffectReport) {
    this.#store = store
    this.#report = report
    this.#earlier = new Map(store.earlier.map(effect => [effect.key, effect]))
    for (const { key, outcome } of store.earlier) {
      if (outcome) this.#outcomeBytes += sizeOf(outcome)
      if (outcome?.kind === 'done') this.#unread.add(key)
    }
  }

  /**
   * Finds out about the calls that had begun and not ended before this run.
   *
   * @param lookupOf the lookup of a tool, if it has one
   * @throws {RunFailure} `effect_unknown` if that is not possible for each of them
   */
  async settle(lookupOf: (tool: string) => Lookup | undefined): Promise<void> {
    const open = this.#store.earlier.filter(({ outcome }) => !outcome)
    const settled = await Promise.allSettled(open.map(effect => this.#settle(effect, lookupOf(effect.tool))))
    const unknown = describeUnknown([...this.#earlier.values()])
    if (unknown === undefined) return
    const cause = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    throw new RunFailure('effect_unknown', unknown, { cause: cause?.reason })
  }

  async #settle(effect: Effect, lookup: Lookup | undefined): Promise<void> {
    if (!lookup) return
    const outcome = await found(effect, lookup)
    this.#earlier.set(effect.key, { ...effect, outcome })
    if (outcome.kind === 'done') this.#unread.add(effect.key)
    await this.#write(effect, outcome)
  }

  /** Stores how a call ended, as much of it as there is room for. */
  async #write(effect: Effect, outcome: EffectOutcome): Promise<void> {
    const isTooMuch = this.#outcomeBytes + sizeOf(outcome) > MAX_OUTCOMES_BYTES
    const kept = isTooMuch ? withoutText(outcome) : outcome
    this.#outcomeBytes += sizeOf(kept)
    await this.#store.write({ ...effect, outcome: kept })
  }

  /**
   * How the same call ended before; `undefined`: it is to be made.
   *
   * @throws {ToolError} if nobody knows how it ended in this run; or once, if the task had called the tool with other arguments
   *   before this run, which may be this call in other words
   */
  async recall(call: KeyedCall, lookup: Lookup | undefined): Promise<EffectOutcome | undefined> {
    const known = this.#madeAlready(call) ?? this.#doneBefore(call)
    if (known) {
      this.#unread.delete(known.key)
      this.#report('replayed', known)
      return known.outcome
    }
    this.#tellOfOthers(call)
    return await this.#lookUpAgain(call, lookup)
  }

  /** The same call of the model, if its node is run again, as LangGraph's `retryPolicy` does. */
  #madeAlready(call: KeyedCall): Effect | undefined {
    const made = call.id === undefined ? undefined : this.#made.get(call.id)
    if (!made || !isSameCall(made.key, call.key)) return undefined
    call.giveBack()
    return made
  }

  /** The same call in an earlier run, or one like it that this run has not been answered with. */
  #doneBefore(call: KeyedCall): Effect | undefined {
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
  async #lookUpAgain(call: KeyedCall, lookup: Lookup | undefined): Promise<EffectOutcome | undefined> {
    const equal = [...this.#unknown].filter(key => isSameCall(key, call.key))
    if (!equal.some(key => this.#open.get(key)?.isDeclared)) return undefined
    const effect = equal.includes(call.key) ? this.#open.get(call.key) : undefined
    const outcome = effect && lookup && (await found(effect, lookup).catch(() => undefined))
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
   * The run ends: reports the calls of which nobody knows whether they had their effect.
   *
   * @param isSuccess whether it has an answer: then calls of a tool that says nothing about side effects do not count
   */
  end(isSuccess: boolean): readonly Effect[] {
    const earlier = [...this.#earlier.values()].filter(({ outcome }) => !outcome)
    const unknown = [...earlier, ...this.#open.values()].filter(({ isDeclared }) => isDeclared || !isSuccess)
    for (const effect of unknown) this.#report('unknown', effect)
    return unknown
  }

  /**
   * Makes a call: stores that it begins, and how it ends.
   *
   * @param isDeclared whether the tool says that it has side effects; one that says nothing runs even if nothing can be stored
   * @throws {ToolError} if nothing can be stored, so that the call might happen twice
   * @throws {RunFailure} `taken_over` if another replica has the task
   */
  async perform<Result>(call: KeyedCall, isDeclared: boolean, work: () => Promise<Result>): Promise<Result> {
    const { key, tool } = call
    const effect: Effect = { key, tool, begunAt: Date.now(), isDeclared }
    await this.#begin(call, effect)
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
  async *#readOut(call: KeyedCall, effect: Effect, work: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    try {
      const result = yield* work as AsyncGenerator<unknown>
      await this.#done(call, effect, result)
      return result
    } catch (failure) {
      call.giveBack()
      await this.#failed(call, effect, failure)
      throw failure
    }
  }

  async #done(call: KeyedCall, effect: Effect, result: unknown): Promise<void> {
    const outcome = doneWith(result)
    if (call.id !== undefined) this.#made.set(call.id, { ...effect, outcome })
    await this.#end(effect, outcome)
  }

  async #failed({ tool }: KeyedCall, effect: Effect, failure: unknown): Promise<void> {
    if (isOutcomeKnown(failure)) return await this.#end(effect, { kind: 'failed', message: failure.message })
    this.#unknown.add(effect.key)
    if (effect.isDeclared && failure instanceof UnknownOutcome)
      failure.message = `${asSentence(failure.message)} Nobody knows whether this call of ${tool} had its effect. Do not make it again, also not in other words, unless you can find out that it had none. Say so in your answer.`
  }

  async #begin(call: KeyedCall, effect: Effect): Promise<void> {
    const { key, tool, isDeclared } = effect
    this.#open.set(key, effect)
    this.#unknown.delete(key)
    if (await this.#store.write(effect)) return
    this.#report(isDeclared ? 'refused' : 'not_stored', effect)
    if (!isDeclared) return
    call.giveBack()
    await this.#end(effect, NOT_DONE)
    throw new ToolError(
      `the tool ${tool} has side effects. They cannot be recorded now, so they might happen twice, and it does not run. Finish the task without it, and say so.`,
    )
  }

  async #end(effect: Effect, outcome: EffectOutcome): Promise<void> {
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
async function found({ key }: Effect, lookup: Lookup): Promise<EffectOutcome> {
  const result = await lookup(key)
  return result === undefined ? NOT_DONE : doneWith(result)
}

function describeResult({ outcome }: Effect): string {
  const result = outcome?.kind === 'done' ? outcome.result : undefined
  return result === undefined
    ? 'It succeeded, and its result was not kept.'
    : `It returned: ${truncate(toText(result), MAX_TOLD_LENGTH)}.`
}
