import { Redis } from 'ioredis'
import handlers from 'ioredis/built/DataHandler.js'
import { z } from 'zod'

/** What reads the replies of one connection. */
interface DataHandler {
  dispatch(read: () => void): void
  returnFatalError(error: unknown): void
}

type Class = { readonly prototype: DataHandler }
const module = handlers as unknown as Class & { readonly default?: Class }
/** Vite unwraps it, Node does not. */
const handler: Class = module.default ?? module

type Callback = (error: Error | null | undefined, reply?: unknown) => void

/** Ranges of a Cluster's slots, with the nodes that have them. */
const slot = z.int().min(0).max(16_383)
const slots = z.array(
  z.tuple([slot, slot], z.tuple([z.string().nullable(), z.int().min(0).max(65_535)], z.unknown())),
)

/**
 * What a reply of no sense makes ioredis throw, it throws again where nobody can catch it, and the process would end. The connection
 * ends instead, and is opened anew; a node of a Cluster that does not tell its slots has failed to. Call once, before a client is made.
 */
export function endConnectionAtOddReplies(): void {
  handler.prototype.dispatch = function (read) {
    try {
      read()
    } catch (error) {
      this.returnFatalError(error)
    }
  }
  const { cluster } = Redis.prototype as unknown as { cluster: (what: string, callback: Callback) => unknown }
  Object.assign(Redis.prototype, {
    cluster(this: Redis, what: string, callback: Callback) {
      return cluster.call(this, what, (error, reply) =>
        callback(error ?? (slots.safeParse(reply).success ? null : new Error('no slots')), reply),
      )
    },
  })
}
