import type { RunResponse } from '@agent-task-service/contract'
import { LRUCache } from 'lru-cache'
import { encodeReply } from '../wire/encode-reply.ts'
import type { Claim, ClaimOptions, Ledger, TaskKey } from './ledger.ts'

/** Most that the replies kept for replay take together, in bytes. */
const MAX_REPLAY_BYTES = 32 * 2 ** 20
/** A longer reply is not kept, so that a few tasks cannot displace everyone else's replays. */
const MAX_REPLY_BYTES = MAX_REPLAY_BYTES / 8

interface Finished {
  readonly content: string
  readonly response: RunResponse
}

/** The ledger of a single process: grants every task and keeps successes for a while. */
export class MemoryLedger implements Ledger {
  readonly #finished: LRUCache<string, Finished> | undefined

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
    // If two bodies share an id, the one that finished last is kept.
    const finish = async (response: RunResponse) => {
      if (response.status === 'success') this.#finished?.set(id, { content, response })
      return true
    }
    const lease = { signal, began() {}, deserted: atOnce, finish, release: atOnce }
    return { kind: 'run', lease }
  }

  leave(): void {}

  close(): void {}
}

const atOnce = () => Promise.resolve()

/** Its text, at up to two bytes per character, and the JSON that its callers share. */
function sizeOf({ response }: Finished): number {
  return 2 * response.output.length + encodeReply(response).byteLength + 500
}
