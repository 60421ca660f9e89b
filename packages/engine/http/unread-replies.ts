import type { ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Log } from '../log/log.ts'

/** Longest replies that may wait for slow callers, all together, in bytes. */
const MAX_UNREAD_BYTES = 64 * 2 ** 20

/** Replies that their callers have not read yet. If they add up to too much, the oldest are given up. */
export class UnreadReplies {
  readonly #replies: LRUCache<ServerResponse, string>

  constructor(log: Log) {
    this.#replies = new LRUCache({
      maxSize: MAX_UNREAD_BYTES,
      dispose(task_id, connection, reason) {
        if (reason !== 'evict') return
        log.warn({ task_id }, 'reply not read')
        connection.destroy()
      },
    })
  }

  /** @param size of the reply, in bytes */
  add(connection: ServerResponse, task_id: string, size: number): void {
    this.#replies.set(connection, task_id, { size })
    connection.once('close', () => this.#replies.delete(connection))
  }
}
