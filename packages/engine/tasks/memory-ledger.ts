import { LRUCache } from 'lru-cache'
import {
  EFFECTS_KEPT_MS,
  type Effect,
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
  readonly #finished?: LRUCache<string, Finished>
  /** Tasks that have had effects and no success. */
  readonly #begun: LRUCache<string, Begun>
  /** By task, the end of the run in flight that has had effects, or knows of some. Only one may. */
  readonly #effective = new Map<string, Promise<void>>()

  /**
   * @param ttl how long a success is replayed, in milliseconds; 0: never
   * @param onForgotten called when the effects of a task are forgotten, since those of too many are kept
   */
  constructor(ttl: number, onForgotten: (taskId: string) => void = () => {}) {
    const sizes = { maxSize: MAX_REPLAY_BYTES, maxEntrySize: MAX_REPLY_BYTES, sizeCalculation: sizeOf }
    if (ttl > 0) this.#finished = new LRUCache({ ttl, ...sizes })
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
    if (other) return { kind: 'wait', changed: other }
    return { kind: 'run', lease: this.#leaseOf(task, key, signal) }
  }

  #leaseOf(task: TaskKey, key: string, signal: AbortSignal): Lease {
    const begun = this.#begun.get(key)
    const { promise: ended, resolve: tellEnd } = Promise.withResolvers<void>()
    let isOver = false
    /** Whether no other run of the task has had effects. */
    const mayHaveEffects = () => {
      if (!this.#effective.has(key)) this.#effective.set(key, ended)
      return this.#effective.get(key) === ended
    }
    const journal = unsharedStore({
      ...begun,
      async writeEffect(effect) {
        if (!effect.isDeclared) return true
        // A call that nobody waited for may end after its run.
        if (isOver || !mayHaveEffects()) return false
        effects.set(effect.key, effect)
        return true
      },
    })
    /** By key. Of a tool that says nothing about side effects, none is kept. */
    const effects = new Map(journal.effects.map(effect => [effect.key, effect]))
    /** @param kept what the task's next run must know */
    const end = (response: Reply | undefined, kept: readonly Effect[]) => {
      isOver = true
      if (response) this.keep(task, response)
      if (this.#effective.get(key) === ended) {
        this.#effective.delete(key)
        // Nothing to know deletes what was known.
        this.#begun.set(key, kept.length > 0 ? { runId: journal.runId, effects: kept } : undefined)
      }
      tellEnd()
    }
    if (begun) this.#effective.set(key, ended)
    return {
      signal,
      journal,
      began() {},
      async deserted() {},
      async finish(response) {
        const isSuccess = response.status === 'success'
        end(response, isSuccess ? [] : keptAfterReply([...effects.values()], false))
        return true
      },
      async release() {
        const known = [...effects.values()]
        end(undefined, known.some(mayHaveHappened) ? known : [])
      },
    }
  }

  leave(): void {}

  close(): void {}
}

/** Its text, at up to two bytes per character, and the JSON that its callers share. */
function sizeOf({ response }: Finished): number {
  return 2 * response.output.length + encodeReply(response).byteLength + 500
}
