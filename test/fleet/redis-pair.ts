import { startProxy, type TestProxy } from './proxy.ts'
import { hasCopy, startRedis, startReplicaOf, type TestRedis } from './redis.ts'

/** Two servers, one of which copies the other over a slow link. */
export class RedisPair {
  #primary: TestRedis
  #replica: TestRedis
  readonly #link: TestProxy

  /** @param heldMs how long what the primary sends to its replica takes, in milliseconds */
  static async start(heldMs: number): Promise<RedisPair> {
    const primary = await startRedis()
    const link = await startProxy(primary.port)
    link.latencyMs = heldMs
    return new RedisPair(primary, await startReplicaOf(link), link)
  }

  private constructor(primary: TestRedis, replica: TestRedis, link: TestProxy) {
    this.#primary = primary
    this.#replica = replica
    this.#link = link
  }

  get primary(): TestRedis {
    return this.#primary
  }

  /** Kills the primary, and promotes its replica. */
  async failOver(): Promise<void> {
    await this.#primary.kill()
    await this.#replica.client.replicaof('NO', 'ONE')
    const [lost, promoted] = [this.#primary, this.#replica]
    this.#primary = promoted
    this.#replica = lost
    this.#link.target = promoted.port
  }

  /** Starts the one that was killed, as a replica of the other. */
  async mend(): Promise<void> {
    await this.#replica.restart()
    await this.#replica.client.replicaof('127.0.0.1', this.#link.port)
    await hasCopy(this.#replica)
  }
}
