import { LRUCache } from 'lru-cache'
import type { RunResponse } from '../http/contract.ts'
import type { Claim, ClaimOptions, Ledger, TaskKey } from './ledger.ts'

/** Maximum total length of the replies kept for replay, in characters. */
const MAX_REPLAY_CHARACTERS = 16 * 2 ** 20

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
      ttl > 0 ? new LRUCache({ ttl, maxSize: MAX_REPLAY_CHARACTERS, sizeCalculation: sizeOf }) : undefined
  }

  async claim({ id, content }: TaskKey, { signal }: ClaimOptions): Promise<Claim> {
    const finished = this.#finished?.get(id)
    if (finished?.content === content) return { kind: 'reply', response: finished.response }
    // If two bodies share an id, the one that finished last is kept.
    const finish = async (response: RunResponse) => {
      if (response.status === 'success') this.#finished?.set(id, { content, response })
      return true
    }
    const lease = { signal, began() {}, deserted: atOnce, effectsBegan: atOnce, finish, release: atOnce }
    return { kind: 'run', lease }
  }

  leave(): void {}

  close(): void {}
}

const atOnce = () => Promise.resolve()

function sizeOf({ response }: Finished): number {
  return response.output.length + 500
}
