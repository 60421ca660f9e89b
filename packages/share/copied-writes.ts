import type { Redis } from 'ioredis'
import { inTime, OPERATION_MS } from './redis-client.ts'

/** How long Redis waits for its replicas, in milliseconds. */
const WAIT_MS = 100

/** What a script answered, and how many replicas have what it wrote. */
interface Written {
  readonly answer: unknown
  readonly acknowledged: number
}

interface Write extends PromiseWithResolvers<Written> {
  readonly args: readonly string[]
}

/**
 * Writes to one primary that replicas must acknowledge. They have a connection of their own, since Redis does nothing else on it
 * while it waits; writes that come meanwhile go together after that.
 */
export class CopiedWrites {
  readonly #replicas: number
  readonly #connect: () => Redis
  #client: Redis | undefined
  #next: Write[] = []
  #isBusy = false

  /** @param connect opens a connection, which is closed once anything fails on it */
  constructor(replicas: number, connect: () => Redis) {
    this.#replicas = replicas
    this.#connect = connect
  }

  /** @throws {Error} if it is not known whether it is written */
  async write(args: readonly string[]): Promise<Written> {
    const write = { args, ...Promise.withResolvers<Written>() }
    this.#next.push(write)
    if (!this.#isBusy) void this.#sendAll()
    return await write.promise
  }

  close(): void {
    this.#client?.disconnect()
    this.#client = undefined
  }

  async #sendAll(): Promise<void> {
    this.#isBusy = true
    while (this.#next.length > 0) await this.#send(this.#next.splice(0))
    this.#isBusy = false
  }

  async #send(writes: readonly Write[]): Promise<void> {
    try {
      this.#client ??= this.#connect()
      const client = this.#client as Redis & { beat(...args: readonly string[]): Promise<unknown> }
      const sent = [...writes.map(({ args }) => client.beat(...args)), client.wait(this.#replicas, WAIT_MS)]
      const answers = await inTime(Promise.all(sent), OPERATION_MS + WAIT_MS)
      const acknowledged = Math.max(0, Math.trunc(Number(answers.pop())) || 0)
      for (const [nth, { resolve }] of writes.entries()) resolve({ answer: answers[nth], acknowledged })
    } catch (error) {
      this.close()
      for (const { reject } of writes) reject(error)
    }
  }
}
