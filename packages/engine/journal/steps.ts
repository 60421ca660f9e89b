import { parseJson } from '@agent-task-service/wire/untrusted'
import { z } from 'zod'
import type { Call, Recorded } from './call.ts'
import { callOutcome, type JournalStore } from './call-record.ts'

/** A longer record, in bytes of JSON, is not kept. */
const MAX_STEP_BYTES = 65_536
/** Most that the records of one run take together, in bytes. */
const MAX_RUN_BYTES = 2 ** 20
/** A call that takes this long, in milliseconds, is worth a wait for Redis. */
const SLOW_MS = 1_000

/** Records of model calls say whether they began past the soft deadline. */
const modelRecord = z.object({ kind: z.literal('done'), result: z.object({ isLate: z.boolean() }) })

/** The calls of a run that may be made again, at their price: a replica that takes it over does not pay it. */
export class Steps {
  readonly #store: JournalStore
  readonly #counts = new Map<string, number>()
  /** Of the recorded model calls that were not made so far: whether they began past the soft deadline. */
  readonly #unread = new Map<string, boolean>()
  #bytes = 0
  #liveFrom: number | undefined

  constructor(store: JournalStore) {
    this.#store = store
    for (const [key, record] of store.steps ?? []) {
      this.#bytes += sizeOf(key, record)
      const { data } = modelRecord.safeParse(parseJson(record))
      if (data) this.#unread.set(key, data.result.isLate)
    }
  }

  /** Of a run that was taken over with records: the first model call that was not recorded; absent: there is none so far. */
  get liveFrom(): number | undefined {
    return this.#liveFrom
  }

  /**
   * Whether the next model call began past the soft deadline before the run was taken over: if the time decided, which is another
   * one now, it would be another call. `undefined`: it is a new one.
   */
  get wasPastSoftDeadline(): boolean | undefined {
    if (this.#liveFrom !== undefined || this.#unread.size === 0) return undefined
    return [...this.#unread.values()].every(isPast => isPast)
  }

  async once<Result>(call: Call<Result>, perform: () => Promise<Result>): Promise<Result> {
    const key = this.#keyOf(call)
    const replayed = key === undefined ? undefined : this.#replay(key, call)
    if (replayed) return await replayed
    call.admit?.()
    if (key === undefined) return await perform()
    if (call.modelStep !== undefined && this.#store.steps?.size) this.#liveFrom ??= call.modelStep
    await this.#store.assertOurs()
    const begunAt = performance.now()
    const [ended] = await Promise.allSettled([perform()])
    // A quick tool's result goes with the reply that is asked for with it.
    const isDueNow = call.modelStep !== undefined || performance.now() - begunAt >= SLOW_MS
    await this.#keep(key, call.record(ended), isDueNow)
    if (ended.status === 'rejected') throw ended.reason
    return ended.value
  }

  /** A call's digest, and the number of equal ones so far; `undefined`: it is not recorded. */
  #keyOf(call: Call<unknown>): string | undefined {
    if (!this.#store.steps || call.isCheap) return undefined
    const ofCall = attempted(() => call.digest())
    if (ofCall === undefined) {
      this.#store.skip('no_json')
      return undefined
    }
    const count = (this.#counts.get(ofCall) ?? 0) + 1
    this.#counts.set(ofCall, count)
    return `${ofCall}-${count}`
  }

  #replay<Result>(key: string, call: Call<Result>): Promise<Result> | undefined {
    // Once the run goes another way, its calls may come in another order.
    if (call.isSetter && this.#liveFrom !== undefined) return undefined
    this.#unread.delete(key)
    const record = this.#store.steps?.get(key)
    const { data } = callOutcome.safeParse(record === undefined ? undefined : parseJson(record))
    return data && call.replay(data)
  }

  async #keep(key: string, outcome: Recorded, isDueNow: boolean): Promise<void> {
    if (outcome === undefined) return
    if (typeof outcome === 'string') return this.#store.skip(outcome)
    const record = attempted(() => JSON.stringify(outcome))
    if (record === undefined) return this.#store.skip('no_json')
    const size = sizeOf(key, record)
    if (size > MAX_STEP_BYTES || this.#bytes + size > MAX_RUN_BYTES) return this.#store.skip('too_large')
    this.#bytes += size
    await this.#store.writeStep(key, record, isDueNow)
  }
}

/** What an owner's graph made may be no JSON: a circle, a big integer, a getter that throws. */
function attempted(make: () => string): string | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

function sizeOf(key: string, record: string): number {
  return key.length + Buffer.byteLength(record)
}
