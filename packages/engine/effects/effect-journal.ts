import { toText } from '@agent-task-service/untrusted/json'
import { RunFailure } from '../failures/run-failure.ts'
import { isOutcomeKnown, ToolError } from '../failures/tool-error.ts'
import { truncate } from '../truncate.ts'
import {
  describeUnknown,
  doneWith,
  type Effect,
  type EffectOutcome,
  type EffectStore,
  isGenerator,
  NOT_DONE,
} from './effect.ts'
import type { KeyedCall } from './idempotency-key.ts'

/** Longest result told of a call with other arguments, in characters. */
const MAX_TOLD_LENGTH = 2_000

/**
 * Finds out whether a call happened: its result if so, `undefined` if it did not and never will. Rejects if that cannot be
 * found out.
 */
export type Lookup = (key: string) => Promise<unknown>

/** What a run knows of its effects. If it was interrupted before, none of those is done again. */
export class EffectJournal {
  readonly #store: EffectStore
  /** From before the run was interrupted, by key. */
  readonly #earlier: Map<string, Effect>
  /** Keys of the earlier ones that were done and whose results the model has not read. */
  readonly #unread = new Set<string>()
  /** Those that it reads with its next request. */
  readonly #told = new Set<string>()
  /** Calls of which it is not known how they ended. */
  readonly #open = new Map<string, Effect>()

  constructor(store: EffectStore) {
    this.#store = store
    this.#earlier = new Map(store.earlier.map(effect => [effect.key, effect]))
    for (const { key, outcome } of store.earlier) if (outcome?.kind === 'done') this.#unread.add(key)
  }

  /**
   * Finds out about the calls that had begun and not ended when the run was interrupted.
   *
   * @param lookupOf the lookup of a tool, if it has one
   * @throws {RunFailure} `effect_unknown` if that is not possible for each of them
   */
  async settle(lookupOf: (tool: string) => Lookup | undefined): Promise<void> {
    const open = this.#store.earlier.filter(({ outcome }) => !outcome)
    const settled = await Promise.allSettled(open.map(effect => this.#lookUp(effect, lookupOf(effect.tool))))
    const unknown = describeUnknown([...this.#earlier.values()])
    if (unknown === undefined) return
    const cause = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    throw new RunFailure('effect_unknown', unknown, { cause: cause?.reason })
  }

  async #lookUp(effect: Effect, lookup: Lookup | undefined): Promise<void> {
    if (!lookup) return
    const result = await lookup(effect.key)
    const settled = { ...effect, outcome: result === undefined ? NOT_DONE : doneWith(result) }
    this.#earlier.set(effect.key, settled)
    if (settled.outcome.kind === 'done') this.#unread.add(effect.key)
    await this.#store.write(settled)
  }

  /**
   * How the same call ended before the run was interrupted; `undefined`: it is to be made.
   *
   * @throws {ToolError} once, if the run had called the tool with other arguments, which may be this call in other words
   */
  recall(call: KeyedCall): EffectOutcome | undefined {
    const { key, tool } = call
    const same = this.#earlier.get(key)
    if (same?.outcome && same.outcome.kind !== 'not_done') {
      this.#unread.delete(key)
      this.#store.report('replayed', same)
      return same.outcome
    }
    const others = [...this.#unread]
      .map(other => this.#earlier.get(other)!)
      .filter(other => other.tool === tool)
    if (others.length === 0) return undefined
    for (const other of others) this.#told.add(other.key)
    call.giveBack()
    throw new ToolError(
      `not run yet: before it was interrupted, this run had already called ${tool} with other arguments. ${others.map(describeResult).join(' ')} If that was this call, do not repeat it. Else call ${tool} again.`,
    )
  }

  /** Call when a model is asked: it reads what its calls were answered. */
  modelReads(): void {
    for (const key of this.#told) this.#unread.delete(key)
    this.#told.clear()
  }

  /** For the caller of a run that fails: the calls that may have happened; `undefined` if each outcome is known. */
  get unknown(): string | undefined {
    return describeUnknown([...this.#open.values()])
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
    const effect: Effect = { key, tool, begunAt: Date.now() }
    await this.#begin(call, effect, isDeclared)
    try {
      const result = await work()
      // A generator has not begun its work.
      if (!isGenerator(result)) await this.#end(effect, doneWith(result))
      return result
    } catch (failure) {
      if (isOutcomeKnown(failure)) await this.#end(effect, { kind: 'failed', message: failure.message })
      throw failure
    }
  }

  async #begin(call: KeyedCall, effect: Effect, isDeclared: boolean): Promise<void> {
    this.#open.set(effect.key, effect)
    if (await this.#store.write(effect)) return
    this.#store.report(isDeclared ? 'refused' : 'not_stored', effect)
    if (!isDeclared) return
    call.giveBack()
    await this.#end(effect, NOT_DONE)
    throw new ToolError(
      `the tool ${effect.tool} has side effects. They cannot be recorded now, so they might happen twice, and it does not run. Finish the task without it, and say so.`,
    )
  }

  async #end(effect: Effect, outcome: EffectOutcome): Promise<void> {
    this.#open.delete(effect.key)
    // If another replica has taken the task over, the run is ended elsewhere.
    await this.#store.write({ ...effect, outcome }).catch(() => undefined)
  }
}

function describeResult({ outcome }: Effect): string {
  const result = outcome?.kind === 'done' ? outcome.result : undefined
  return result === undefined
    ? 'It succeeded, and its result was not kept.'
    : `It returned: ${truncate(toText(result), MAX_TOLD_LENGTH)}.`
}
