import { EventEmitter, once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { type FleetMetrics, type Log, StateLog } from '@agent-task-service/engine/share'
import { ReplyError } from 'ioredis'
import { ALIVE, argumentsOf, BEAT_MS, CHANNEL, type Given, LEASE_MS, STEPS } from './claim-scripts.ts'
import { CopiedWrites } from './copied-writes.ts'
import { endConnectionAtOddReplies } from './odd-replies.ts'
import { inTime, RedisClient } from './redis-client.ts'
import type { RedisSettings } from './redis-url.ts'
import { answers, type ScriptAnswer } from './script-results.ts'

/** Redis counts as unavailable after failing for this long, in milliseconds; a hiccup does not count. */
const UNAVAILABLE_AFTER_MS = 200
/** An unavailable Redis counts as available again once it answers within this time, in milliseconds. */
const BACK_MS = 150
/** A connection that has brought no answer for this many beats is opened anew. */
const SILENT_BEATS = 2
/** Why Redis refuses to work: the code with which its message begins, and of `ERR`, which says nothing, the plain words behind it. */
const REFUSAL = /^(ERR(?: '?[A-Za-z-]+'?)+|[A-Z]{2,20}(?= ))/
/** What ioredis says before the reason of a Sentinel. */
const OF_SENTINELS = /^All sentinels are unreachable\..* Last error: /
const MAX_REASON_LENGTH = 60
/** Whoever answers could make up any number of reasons. More are not told. */
const MAX_REASONS = 20
/** Reasons that say too little to replace another. */
const VAGUE = ['closed', 'no answer', 'EPIPE', 'ECONNRESET']
/** The event that Redis is available again. */
const AVAILABLE = 'available'

endConnectionAtOddReplies()

/** A heartbeat without a task. It writes, so a full or read-only Redis counts as unavailable. */
const PROBE: Given['beat'] = {
  token: 'probe',
  fence: 0,
  run: '',
  lifeMs: BEAT_MS,
  lossCounts: false,
  hasEffects: false,
  effectCount: 0,
}

/** An error that ioredis makes of a reply. */
interface Refused {
  readonly command: { readonly name: string }
}

export interface ConnectionOptions {
  readonly settings: RedisSettings
  /** How many replicas of Redis must have what tools with side effects do. */
  readonly replicas: number
  readonly log: Log
  readonly metrics?: FleetMetrics | undefined
}

/**
 * The connection to Redis. An operation not answered within 100 ms counts as failed. After failing for a while, or
 * losing the connection, it attempts no operation until a probe is answered.
 */
export class Connection {
  readonly #known = Promise.withResolvers<void>()
  /** Resolves once it is known whether Redis is available, after the second probe at the latest. */
  readonly known = this.#known.promise
  readonly #client: RedisClient
  readonly #options: ConnectionOptions
  readonly #news = new EventEmitter().setMaxListeners(0)
  readonly #probing: NodeJS.Timeout
  #isAvailable: boolean | undefined
  #since = 0
  /** Why it was last unavailable; absent: it has not been. */
  #reason: string | undefined
  /** What Redis has refused since it was last available, in its first words. */
  #refusal: string | undefined
  readonly #reasons = new Set<string>()
  readonly #states = new StateLog((state, count) => {
    const { log } = this.#options
    if (state === 'available') log.info('tasks are shared with the other replicas')
    else if (state === 'available again') log.warn({ count }, 'tasks are shared with the other replicas')
    else
      log.warn({ reason: state, count }, 'Redis is unavailable: tasks are not shared with the other replicas')
  })
  readonly #copies = new StateLog((state, count) => {
    const { log } = this.#options
    if (state === 'enough') log.warn({ count }, 'replicas of Redis have again what tools do')
    else log.warn({ reason: state, count }, 'replicas of Redis lack what tools do: a failover may lose it')
  })
  #hasLackedCopies = false
  /** By the name of a primary. */
  readonly #copiedWrites = new Map<string, CopiedWrites>()
  /** By the name of a primary that fails. */
  readonly #failingSince = new Map<string, number>()
  /** Beats since the connection to a primary last brought an answer, however late. */
  readonly #silentBeats = new Map<string, number>()

  constructor(options: ConnectionOptions, replica: string) {
    this.#options = options
    this.#client = new RedisClient(options.settings)
    const { redis } = this.#client
    const probe = () => {
      for (const key of this.#client.probeKeys().values()) void this.run('beat', key, PROBE, true)
    }
    this.#probing = setInterval(() => {
      for (const primary of this.#client.probeKeys().keys())
        this.#silentBeats.set(primary, (this.#silentBeats.get(primary) ?? 0) + 1)
      probe()
      // Once what has come meanwhile is read.
      setImmediate(() => this.#reopenSilent())
    }, BEAT_MS).unref()
    redis.on('ready', () => {
      // A node of a Cluster knows only of its own subscribers.
      const channels = options.settings.cluster ? [CHANNEL] : [CHANNEL, ALIVE + replica]
      redis.subscribe(...channels).catch(error => this.#reasonOf(error))
      probe()
    })
    // Deferred, so that code awaiting a reply that arrived with it can subscribe first. The channel prefix keeps keys from
    // clashing with event names such as `error`.
    redis.on('message', (channel, key) => setImmediate(() => this.#news.emit(channel + key)))
    redis.on('error', error => {
      const isSelect = (error as Partial<Refused>).command?.name === 'select'
      this.#set(false, this.#reasonOf(error, isSelect ? `SELECT ${options.settings.db}: ` : ''))
      // Else ioredis goes on in another database than was asked for.
      if (isSelect) redis.disconnect(true)
    })
    // Of a Cluster; what cannot be done without the node fails by itself.
    redis.on('node error', error => {
      this.#refusal ??= this.#reasonOf(error)
    })
    redis.on('close', () => this.#set(false, 'closed'))
  }

  /** The key of a task, by its name. */
  keyOf(name: string): string {
    return this.#client.keyOf(name)
  }

  /** Milliseconds for which Redis has been available without interruption; 0 while it is unavailable. */
  get availableForMs(): number {
    return this.#isAvailable ? performance.now() - this.#since : 0
  }

  /** Resolves once other replicas have announced again what a Redis that was unavailable may have forgotten. */
  async settled(signal: AbortSignal): Promise<void> {
    const hasBeenLost = this.#reason !== undefined
    const leftMs = LEASE_MS - this.availableForMs
    if (!this.#isAvailable || !hasBeenLost || leftMs <= 0) return
    await setTimeout(leftMs, undefined, { signal, ref: false }).catch(() => undefined)
  }

  /**
   * Runs a script.
   *
   * @param isProbe whether to run it even while Redis is unavailable
   * @returns its answer; `undefined` if no valid one came in time, although the script may have run or may still run
   */
  async run<Name extends keyof typeof answers>(
    name: Name,
    key: string,
    given: Given[Name],
    isProbe = false,
  ): Promise<ScriptAnswer<Name> | undefined> {
    if (!this.#isAvailable && !isProbe) return undefined
    const client = this.#client.redis as unknown as Record<Name, (...args: unknown[]) => Promise<unknown>>
    const primary = this.#client.primaryOf(key)
    const { metrics } = this.#options
    const read = (answer: unknown) => answers[name].safeParse(answer).data as ScriptAnswer<Name> | undefined
    const sentAt = performance.now()
    try {
      if (this.#client.redis.status !== 'ready') throw new Error('not connected')
      const reply = client[name](key, key + STEPS, ...argumentsOf(given))
      const hear = () => this.#silentBeats.delete(primary)
      reply.then(hear, error => error instanceof ReplyError && hear())
      const answer = await inTime(reply)
      metrics?.store(name, performance.now() - sentAt)
      this.#failingSince.delete(primary)
      // Recovery is judged by elapsed time, not turns: otherwise a slow Redis would flap with our own load.
      if (performance.now() - sentAt < BACK_MS && !this.#isOneFailing) this.#set(true)
      return read(answer)
    } catch (error) {
      const reason = this.#reasonOf(error)
      metrics?.store(name, performance.now() - sentAt, reason)
      // What another program wrote under the key is no outage.
      if (reason === 'WRONGTYPE') return read(undefined)
      const since = this.#failingSince.get(primary) ?? sentAt
      this.#failingSince.set(primary, since)
      const isOver = performance.now() - since > UNAVAILABLE_AFTER_MS
      if (isOver || this.#client.redis.status !== 'ready') this.#set(false, reason)
      return undefined
    }
  }

  /**
   * Runs a heartbeat with effects.
   *
   * @returns its answer, and whether enough replicas of Redis have acknowledged it
   */
  async write(key: string, given: Given['beat']): Promise<ScriptAnswer<'beat'> | undefined> {
    const { replicas, metrics } = this.#options
    if (replicas === 0 || !this.#isAvailable) return await this.run('beat', key, given)
    const sentAt = performance.now()
    try {
      const writes = this.#copiedWritesTo(this.#client.primaryOf(key))
      const { answer, acknowledged } = await writes.write([key, key + STEPS, ...argumentsOf(given)])
      metrics?.store('beat', performance.now() - sentAt)
      const isCopied = acknowledged >= replicas
      this.#tellOfCopies(isCopied ? 'enough' : `${acknowledged} of ${replicas} replicas`)
      const standing = answers.beat.safeParse(answer).data
      return standing?.state === 'ours' ? { ...standing, isCopied } : standing
    } catch (error) {
      const reason = this.#reasonOf(error)
      metrics?.store('beat', performance.now() - sentAt, reason)
      this.#tellOfCopies(reason)
      return undefined
    }
  }

  /** Says so if a failover may lose what tools do. */
  async tellOfReplicas(): Promise<void> {
    if (this.#isAvailable && (await inTime(this.#client.hasReplicas()).catch(() => false)))
      this.#options.log.warn(
        'Redis has replicas and REDIS_REPLICAS is 0: a failover may lose what tools have done. Set it to their number',
      )
  }

  #copiedWritesTo(primary: string): CopiedWrites {
    const known = this.#copiedWrites.get(primary)
    const writes = known ?? new CopiedWrites(this.#options.replicas, () => this.#client.another(primary))
    this.#copiedWrites.set(primary, writes)
    return writes
  }

  #tellOfCopies(state: string): void {
    this.#hasLackedCopies ||= state !== 'enough'
    if (this.#hasLackedCopies) this.#copies.change(state)
  }

  /** Resolves at the next news about a key, or when the time is up. */
  async news(key: string, ms: number): Promise<void> {
    const signal = AbortSignal.timeout(Math.ceil(ms))
    await once(this.#news, CHANNEL + key, { signal }).catch(() => undefined)
  }

  /**
   * Calls it once a second, and at once when Redis is available again: who has a connection anew may not be taken for lost.
   *
   * @returns what ends that
   */
  eachBeat(beat: () => void): () => void {
    const beating = setInterval(beat, BEAT_MS)
    this.#news.on(AVAILABLE, beat)
    return () => {
      clearInterval(beating)
      this.#news.off(AVAILABLE, beat)
    }
  }

  close(): void {
    clearInterval(this.#probing)
    this.#isAvailable = false
    this.#client.redis.removeAllListeners('close').disconnect()
    for (const writes of this.#copiedWrites.values()) writes.close()
  }

  /**
   * The other end may be gone without a word. ioredis's own `socketTimeout` goes by the clock, so it would close a healthy
   * connection when a suspended replica wakes up.
   */
  #reopenSilent(): void {
    for (const [primary, beats] of this.#silentBeats) {
      if (beats < SILENT_BEATS) continue
      this.#silentBeats.delete(primary)
      this.#client.reopen(primary)
    }
  }

  /** Whether a primary fails; one that has made way for another does not count. */
  get #isOneFailing(): boolean {
    if (this.#failingSince.size === 0) return false
    const primaries = this.#client.probeKeys()
    for (const primary of this.#failingSince.keys())
      if (!primaries.has(primary)) this.#failingSince.delete(primary)
    return this.#failingSince.size > 0
  }

  /** The error's code, or how Redis's message begins. Never the whole message, which may quote the address. */
  #reasonOf(error: unknown, before = ''): string {
    // Why no node of a Cluster can be asked for the others.
    const { lastNodeError = error } = (error ?? {}) as { lastNodeError?: unknown }
    const { code, message = '' } = (lastNodeError ?? {}) as NodeJS.ErrnoException
    const [, words] = REFUSAL.exec(message.replace(OF_SENTINELS, '')) ?? []
    if (code !== undefined || words === undefined) return code ?? 'no answer'
    const refusal = (before + words).slice(0, MAX_REASON_LENGTH)
    if (this.#reasons.size < MAX_REASONS) this.#reasons.add(refusal)
    this.#refusal ??= refusal
    return this.#reasons.has(refusal) ? refusal : 'no answer'
  }

  #set(isAvailable: boolean, given = ''): void {
    // What Redis said first says more than that it closed the connection then.
    const reason = VAGUE.includes(given) ? (this.#refusal ?? given) : given
    if (isAvailable) this.#refusal = undefined
    const isChange = this.#isAvailable !== isAvailable
    const isNewReason = !isAvailable && reason !== this.#reason && !VAGUE.includes(reason)
    if (!isChange && !isNewReason) return
    if (isChange) {
      this.#isAvailable = isAvailable
      this.#since = performance.now()
      this.#options.metrics?.shares(isAvailable)
      if (isAvailable) this.#news.emit(AVAILABLE)
    }
    const state = this.#reason ? 'available again' : 'available'
    if (!isAvailable) this.#reason = reason
    this.#states.change(isAvailable ? state : reason)
    this.#known.resolve()
  }
}
