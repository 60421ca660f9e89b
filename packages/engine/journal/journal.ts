import type { Call } from './call.ts'
import { CallKeys } from './call-keys.ts'
import { type JournalStore, unsharedStore } from './call-record.ts'
import { type EffectReport, Effects } from './effects.ts'
import { KeyedCall } from './idempotency-key.ts'
import { Steps } from './steps.ts'

/**
 * Makes each call of a run once: what the task's earlier runs have done is not done again, and what its model calls and tools have
 * brought is not asked again by a replica that takes the run over. That runs the graph from its start, and each call that equals a
 * recorded one ends as it did.
 */
export class Journal {
  readonly #store: JournalStore
  readonly #keys: CallKeys
  readonly effects: Effects
  readonly steps: Steps

  /** @param store absent: no other run goes on with the task */
  constructor(store = unsharedStore(), report: EffectReport = () => {}) {
    this.#store = store
    this.#keys = new CallKeys(store.runId)
    this.effects = new Effects(store, report)
    this.steps = new Steps(store)
  }

  /** Makes a call, or ends it as it ended before. @throws what it throws, or threw */
  async once<Result>(call: Call<Result>, perform: () => Promise<Result>): Promise<Result> {
    const { effect } = call
    return await (effect ? this.effects.once(call, effect, perform) : this.steps.once(call, perform))
  }

  /** What {@link keyed} takes to tell what was known when a call was made. */
  get moment(): number {
    return this.#keys.moment
  }

  /**
   * A tool call with its idempotency key.
   *
   * @param id the model's; absent: a node made it
   * @param madeAt absent: it is made now
   */
  keyed(tool: string, args: unknown, id: string | undefined, madeAt?: number): KeyedCall {
    return new KeyedCall(tool, args, this.#keys, id, madeAt)
  }

  /**
   * For each request that is sent: another replica pays for it if that has the run.
   *
   * @throws {RunFailure} `taken_over`
   */
  async assertOurs(): Promise<void> {
    await this.#store.assertOurs()
  }
}
