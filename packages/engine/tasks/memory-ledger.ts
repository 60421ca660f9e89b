import { LRUCache } from 'lru-cache'
import {
  EFFECTS_KEPT_MS,
  type Effect,
  type JournalStore,
  keptAfterReply,
  mayHaveHappened,
  unsharedStore,
} from '../journal/call-record.ts'
import { encodeReply, type Reply } from '../replies/encode-reply.ts'
import type { Claim, ClaimOptions, Lease, Ledger, TaskKey } from './ledger.ts'

/** Most that the replies kept for replay take together, in bytes. */
const MAX_REPLAY_BYTES = 32 * 2 ** 20
/** A longer reply is not kept, so that a few tasks cannot displace everyone else's replays. */
const MAX_REPLY_BYTES = MAX_REPLAY_BYTES / 8
/** Most that the kept effects take together, in bytes. */
const MAX_EFFECTS_BYTES = 32 * 2 ** 20

interface Finished {
  readonly content: string
  readonly response: Reply
}

interface Begun {
  readonly runId: string
  readonly effects: readonly Effect[]
}

/** The ledger of a single process: grants every task, and keeps successes and what failed tasks have done for a while. */
export class MemoryLedger implements Ledger {
  readonly #finished: LRUCache<string, Finished> | undefined
  /** Tasks that have had effects and no success. */
  readonly #begun: LRUCache<string, Begun>
  /** By task, the run in flight that has had effects, or knows of some. Only one may. */
  readonly #effective = new Map<string, MemoryLease>()

  /**
   * @param ttl how long a success is replayed, in milliseconds; 0: never
   * @param onForgotten called when the effects of a task are forgotten, since those of too many are kept
   */
  constructor(ttl: number, onForgotten: (taskId: string) => void = () => {}) {
    this.#finished =
      ttl > 0
        ? new LRUCache({
            ttl,
            maxSize: MAX_REPLAY_BYTES,
            maxEntrySize: MAX_REPLY_BYTES,
            sizeCalculation: sizeOf,
          })
        : undefined
    this.#begun = new LRUCache({
      ttl: EFFECTS_KEPT_MS,
      maxSize: MAX_EFFECTS_BYTES,
      sizeCalculation: ({ effects }) => 2 * JSON.stringify(effects).length + 500,
      dispose: (_begun, key, reason) => reason === 'evict' && onForgotten(key.slice(0, key.indexOf(':'))),
    })
  }

  /** The success of an equal task that is replayed. */
  replay({ id, content }: TaskKey): Reply | undefined {
    const finished = this.#finished?.get(id)
    return finished?.content === content ? finished.response : undefined
  }

  /** Keeps a success for replay. If two bodies share an id, the one that finished last is kept. */
  keep({ id, content }: TaskKey, response: Reply): void {
    if (response.status === 'success') this.#finished?.set(id, { content, response })
  }

  async claim(task: TaskKey, { signal }: ClaimOptions): Promise<Claim> {
    const response = this.replay(task)
    if (response) return { kind: 'reply', response }
    const key = `${task.id}:${task.content}`
    const other = this.#effective.get(key)
    // Nobody may join it any more: its callers have hung up, or another task with its id has begun since.
    if (other) return { kind: 'wait', changed: other.ended }
    const begun = this.#begun.get(key)
    const lease = new MemoryLease(signal, begun, {
      mayHaveEffects: () => {
        if (!this.#effective.has(key)) this.#effective.set(key, lease)
        return this.#effective.get(key) === lease
      },
      onEnd: (response, begun) => {
        if (response) this.keep(task, response)
        if (this.#effective.get(key) !== lease) return
        this.#effective.delete(key)
        // Nothing to know deletes what was known.
        this.#begun.set(key, begun)
      },
    })
    if (begun) this.#effective.set(key, lease)
    return { kind: 'run', lease }
  }

  leave(): void {}

  close(): void {}
}

interface LeaseListener {
  /** Asked before an effect is recorded: whether no other run of the task has had one. */
  mayHaveEffects(): boolean
  /** Receives the reply, if there is one, and what the task's next run must know. */
  onEnd(response: Reply | undefined, begun: Begun | undefined): void
}

class MemoryLease implements Lease {
  readonly signal: AbortSignal
  readonly journal: JournalStore
  /** By key. Of a tool that says nothing about side effects, none is kept. */
  readonly #effects: Map<string, Effect>
  readonly #ended = Promise.withResolvers<void>()
  readonly #listener: LeaseListener
  #isOver = false

  constructor(signal: AbortSignal, begun: Begun | undefined, listener: LeaseListener) {
    this.signal = signal
    this.#listener = listener
    this.journal = unsharedStore({ ...begun, writeEffect: async effect => this.#write(effect) })
    this.#effects = new Map(this.journal.effects.map(effect => [effect.key, effect]))
  }

  #write(effect: Effect): boolean {
    if (!effect.isDeclared) return true
    // A call that nobody waited for may end after its run.
    if (this.#isOver || !this.#listener.mayHaveEffects()) return false
    this.#effects.set(effect.key, effect)
    return true
  }

  /** Resolves when the lease has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  began(): void {}

  async deserted(): Promise<void> {}

  async finish(response: Reply): Promise<boolean> {
    const isSuccess = response.status === 'success'
    this.#keep(response, isSuccess ? [] : keptAfterReply([...this.#effects.values()], false))
    return true
  }

  async release(): Promise<void> {
    const effects = [...this.#effects.values()]
    this.#keep(undefined, effects.some(mayHaveHappened) ? effects : [])
  }

  #keep(response: Reply | undefined, effects: readonly Effect[]): void {
    const { runId } = this.journal
    this.#isOver = true
    this.#listener.onEnd(response, effects.length > 0 ? { runId, effects } : undefined)
    this.#ended.resolve()
  }
}

/** Its text, at up to two bytes per character, and the JSON that its callers share. */
function sizeOf({ response }: Finished): number {
  return 2 * response.output.length + encodeReply(response).byteLength + 500
}
