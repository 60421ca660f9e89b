import { LRUCache } from 'lru-cache'
import { newRunId } from '../effects/call-keys.ts'
import {
  EFFECTS_KEPT_MS,
  type Effect,
  type EffectStore,
  keptAfterReply,
  mayHaveHappened,
} from '../effects/effect.ts'
import { encodeReply, type Reply } from '../wire/encode-reply.ts'
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
  readonly #begun = new LRUCache<string, Begun>({
    ttl: EFFECTS_KEPT_MS,
    maxSize: MAX_EFFECTS_BYTES,
    sizeCalculation: ({ effects }) => 2 * JSON.stringify(effects).length + 500,
  })
  /** Runs in flight that have had effects. */
  readonly #effective = new Map<string, MemoryLease>()

  /** @param ttl how long a success is replayed, in milliseconds; 0: never */
  constructor(ttl: number) {
    this.#finished =
      ttl > 0
        ? new LRUCache({
            ttl,
            maxSize: MAX_REPLAY_BYTES,
            maxEntrySize: MAX_REPLY_BYTES,
            sizeCalculation: sizeOf,
          })
        : undefined
  }

  async claim({ id, content }: TaskKey, { signal }: ClaimOptions): Promise<Claim> {
    const finished = this.#finished?.get(id)
    if (finished?.content === content) return { kind: 'reply', response: finished.response }
    const key = `${id}:${content}`
    const other = this.#effective.get(key)
    // Its callers have hung up, and it is about to end.
    if (other) return { kind: 'wait', changed: other.ended }
    const lease = new MemoryLease(signal, this.#begun.get(key), {
      onEffect: () => void this.#effective.set(key, lease),
      onEnd: (response, begun) => {
        this.#effective.delete(key)
        if (begun) this.#begun.set(key, begun)
        else this.#begun.delete(key)
        // If two bodies share an id, the one that finished last is kept.
        if (response?.status === 'success') this.#finished?.set(id, { content, response })
      },
    })
    return { kind: 'run', lease }
  }

  leave(): void {}

  close(): void {}
}

interface LeaseListener {
  /** It has effects that its task's next run must know. */
  onEffect(): void
  /** Receives the reply, if there is one, and what the next run must know. */
  onEnd(response: Reply | undefined, begun: Begun | undefined): void
}

class MemoryLease implements Lease {
  readonly signal: AbortSignal
  readonly effects: EffectStore
  /** By key. Of a tool that says nothing about side effects, none is kept. */
  readonly #effects: Map<string, Effect>
  readonly #ended = Promise.withResolvers<void>()
  readonly #listener: LeaseListener

  constructor(
    signal: AbortSignal,
    { runId = newRunId(), effects: earlier = [] }: Partial<Begun> = {},
    listener: LeaseListener,
  ) {
    this.signal = signal
    this.#effects = new Map(earlier.map(effect => [effect.key, effect]))
    this.#listener = listener
    const write = async (effect: Effect) => {
      if (!effect.isDeclared) return true
      this.#effects.set(effect.key, effect)
      listener.onEffect()
      return true
    }
    this.effects = { runId, earlier, write }
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
    const { runId } = this.effects
    this.#listener.onEnd(response, effects.length > 0 ? { runId, effects } : undefined)
    this.#ended.resolve()
  }
}

/** Its text, at up to two bytes per character, and the JSON that its callers share. */
function sizeOf({ response }: Finished): number {
  return 2 * response.output.length + encodeReply(response).byteLength + 500
}
