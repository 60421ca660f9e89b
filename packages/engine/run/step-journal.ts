import { parseJson } from '@agent-task-service/wire/untrusted'
import { z } from 'zod'

/** A longer record, in bytes of JSON, is not kept. */
const MAX_STEP_BYTES = 65_536
/** Most that the records of one run take together, in bytes. */
const MAX_RUN_BYTES = 2 ** 20

/** Records of model calls say whether they began past the soft deadline. */
const modelRecord = z.object({ isLate: z.boolean() })

/** Why a step is not recorded. */
export type NotRecorded = 'too_large' | 'masked' | 'no_json'

/** Keeps the records of one run's steps for a replica that takes it over. */
export interface StepStore {
  /** What was recorded before the run was taken over, as JSON, by key. */
  readonly earlier: ReadonlyMap<string, string>
  /**
   * Stores a record, unless a secret is in it. Settles soon, whether or not it could be stored.
   *
   * @param isDueNow otherwise it goes with the next one, within a second
   */
  write(key: string, record: string, isDueNow: boolean): Promise<void>
  /** Says why a step is not recorded. */
  skip(reason: NotRecorded): void
  /** @throws {RunFailure} `taken_over` if the lease is over and another replica has the run, as after a suspension */
  assertOurs(): Promise<void>
}

/**
 * What the model calls and tool calls of a run have brought, so that a replica that takes it over does not make them again. It runs
 * the graph from its start, and each call that equals a recorded one is answered at once.
 */
export class StepJournal {
  readonly #store: StepStore | undefined
  readonly #counts = new Map<string, number>()
  /** Of the recorded model calls that were not made so far: whether they began past the soft deadline. */
  readonly #unread = new Map<string, boolean>()
  #bytes: number
  #liveFrom: number | undefined

  /** @param store absent: no step is recorded */
  constructor(store: StepStore | undefined) {
    this.#store = store
    const earlier = [...(store?.earlier ?? [])]
    this.#bytes = earlier.reduce((sum, [key, record]) => sum + sizeOf(key, record), 0)
    for (const [key, record] of earlier) {
      const { data } = modelRecord.safeParse(parseJson(record))
      if (data) this.#unread.set(key, data.isLate)
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

  /**
   * The key of the next call: its digest, and the number of equal calls so far.
   *
   * @returns `undefined`: steps are not recorded, or not this one
   */
  keyOf(digest: () => string): string | undefined {
    if (!this.#store) return undefined
    const ofCall = attempted(digest)
    if (ofCall === undefined) {
      this.skip('no_json')
      return undefined
    }
    const count = (this.#counts.get(ofCall) ?? 0) + 1
    this.#counts.set(ofCall, count)
    return `${ofCall}-${count}`
  }

  /** The record of a call; `undefined`: there is none that can be read, and the call is to be made. */
  recall<Schema extends z.ZodType>(key: string, schema: Schema): z.output<Schema> | undefined {
    this.#unread.delete(key)
    const record = this.#store?.earlier.get(key)
    return record === undefined ? undefined : schema.safeParse(parseJson(record)).data
  }

  /** Call for a model call without a record. @param step its number in the run */
  goLive(step: number): void {
    if (this.#store && this.#store.earlier.size > 0) this.#liveFrom ??= step
  }

  /**
   * For each call that is made: another replica pays for it if that has the run.
   *
   * @throws {RunFailure} `taken_over`
   */
  async assertOurs(): Promise<void> {
    await this.#store?.assertOurs()
  }

  /** Says why a call is not recorded. */
  skip(reason: NotRecorded): void {
    this.#store?.skip(reason)
  }

  /**
   * Records what a call has brought.
   *
   * @param isDueNow otherwise it goes with the next record, within a second
   */
  async keep(key: string, brought: unknown, isDueNow: boolean): Promise<void> {
    if (!this.#store) return
    const record = attempted(() => JSON.stringify(brought))
    if (record === undefined) return this.skip('no_json')
    const size = sizeOf(key, record)
    if (size > MAX_STEP_BYTES || this.#bytes + size > MAX_RUN_BYTES) return this.skip('too_large')
    this.#bytes += size
    await this.#store.write(key, record, isDueNow)
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
