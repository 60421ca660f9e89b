import { TurnTimer, withCancellation } from '@agent-task-service/engine/share'
import { Redis } from 'ioredis'
import { BEAT_MS, PREFIX, scripts } from './claim-scripts.ts'
import type { RedisSettings } from './redis-url.ts'

type Cluster = InstanceType<typeof Redis.Cluster>

/** Among so many keys each primary of a Cluster has one. */
const PROBES = 512

// ioredis takes what Redis says in protected mode for a hint about the password, and goes on.
const { hello } = Redis.prototype
Redis.prototype.hello = function (...args: unknown[]) {
  return hello.apply(this, args as [number]).catch((error: Error) => {
    throw error.message.startsWith('DENIED') ? new Error('DENIED in protected mode') : error
  })
}

const OPTIONS = {
  scripts,
  enableReadyCheck: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  disableClientInfo: true,
  maxRetriesPerRequest: 0,
  connectTimeout: BEAT_MS,
  disconnectTimeout: 0,
} as const

/** ioredis's client of a Redis or of a Cluster, and where keys are. */
export class RedisClient {
  readonly redis: Redis | Cluster
  readonly #cluster: Cluster | undefined
  readonly #probeKeys: readonly string[]

  constructor({ cluster, ...settings }: RedisSettings) {
    this.#cluster = cluster && clusterClient(cluster, settings)
    this.redis =
      this.#cluster ??
      new Redis({
        ...settings,
        ...OPTIONS,
        enableOfflineQueue: false,
        retryStrategy,
        sentinelRetryStrategy: retryStrategy,
        sentinelCommandTimeout: BEAT_MS,
        // After a failover the name may resolve to another host.
        reconnectOnError: ({ message }) => message.startsWith('READONLY'),
      })
    const probes = cluster ? Array.from({ length: PROBES }, (_, nth) => `probe-${nth}`) : ['probe']
    this.#probeKeys = probes.map(name => this.keyOf(name))
  }

  /** A key; in a Cluster one that is at the same primary whatever follows it. */
  keyOf(name: string): string {
    return this.#cluster ? `${PREFIX}{${name}}` : PREFIX + name
  }

  /** Names the primary that has the key. */
  primaryOf(key: string): string {
    if (!this.#cluster) return ''
    const slot = new Redis.Command('get', [key]).getSlot() as number
    return this.#cluster.slots[slot]?.[0] ?? ''
  }

  /** For each primary, by its name, a key that it has. */
  probeKeys(): ReadonlyMap<string, string> {
    return new Map(this.#probeKeys.map(key => [this.primaryOf(key), key]))
  }

  /** Opens the connection to a primary anew. */
  reopen(primary: string): void {
    // A Cluster's client opens one when it needs it.
    if (this.#cluster) this.#nodeOf(primary)?.disconnect()
    else if (['connect', 'ready'].includes(this.redis.status)) this.redis.disconnect(true)
  }

  /** A connection to a primary that is not opened anew. */
  another(primary: string): Redis {
    const redis = this.#cluster ? this.#nodeOf(primary) : (this.redis as Redis)
    if (!redis) throw new Error('not connected')
    const never = () => null
    const once = { enableOfflineQueue: true, retryStrategy: never, sentinelRetryStrategy: never }
    // Who waits for an answer learns of it.
    return redis.duplicate(once).on('error', () => undefined)
  }

  /** Whether a primary has replicas, if its user may know that. */
  async hasReplicas(): Promise<boolean> {
    const primaries = this.#cluster?.nodes('master') ?? [this.redis as Redis]
    const roles = await Promise.allSettled(primaries.map(async redis => await redis.role()))
    return roles.some(role => {
      const [, , replicas] = role.status === 'fulfilled' && Array.isArray(role.value) ? role.value : []
      return Array.isArray(replicas) && replicas.length > 0
    })
  }

  #nodeOf(primary: string): Redis | undefined {
    return this.#cluster?.nodes().find(({ options: { host, port } }) => `${host}:${port}` === primary)
  }
}

function clusterClient(nodes: NonNullable<RedisSettings['cluster']>, settings: object): Cluster {
  return new Redis.Cluster(nodes, {
    redisOptions: { ...settings, ...OPTIONS },
    scripts,
    enableReadyCheck: false,
    clusterRetryStrategy: retryStrategy,
    // A run does not wait so long, and the next probe finds out.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Certificates are for names.
    dnsLookup: (host, done) => done(null, host),
  })
}

function retryStrategy(times: number): number {
  return Math.min(times * 100, BEAT_MS)
}

/** How long a run may wait for an operation, in milliseconds. */
export const OPERATION_MS = 100

/** @throws {Error} with the code `TIMEOUT` if there is no reply in time, counted in turns of the event loop */
export async function inTime<Reply>(reply: Promise<Reply>, ms = OPERATION_MS): Promise<Reply> {
  const late = () => Object.assign(new Error('no answer in time'), { code: 'TIMEOUT' })
  const timer = (cancel: (reason: Error) => void) => new TurnTimer(ms, () => cancel(late()))
  return await withCancellation(() => reply, timer)
}
