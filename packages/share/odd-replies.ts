import handlers from 'ioredis/built/DataHandler.js'

/** What reads the replies of one connection. */
interface DataHandler {
  dispatch(read: () => void): void
  returnFatalError(error: unknown): void
}

type Class = { readonly prototype: DataHandler }
const module = handlers as unknown as Class & { readonly default?: Class }
/** Vite unwraps it, Node does not. */
const handler: Class = module.default ?? module

/**
 * What a reply of no sense makes ioredis throw, it throws again where nobody can catch it, and the process would end. The connection
 * ends instead, and is opened anew. Call once, before a client is made.
 */
export function endConnectionAtOddReplies(): void {
  handler.prototype.dispatch = function (read) {
    try {
      read()
    } catch (error) {
      this.returnFatalError(error)
    }
  }
}
