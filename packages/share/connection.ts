import { EventEmitter, once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import {
  type FleetMetrics,
  type Log,
  StateLog,
  TurnTimer,
  withCancellation,
} from '@agent-task-service/engine/share'
import { Redis, ReplyError } from 'ioredis'
import {
  ALIVE,
  argumentsOf,
  BEAT_MS,
  CHANNEL,
  type Given,
  LEASE_MS,
  PREFIX,
  STEPS,
  scripts,
} from './claim-scripts.ts'
import { endConnectionAtOddReplies } from './odd-replies.ts'
import type { RedisSettings } from './redis-url.ts'
import { type Answer, answers } from './script-results.ts'

/** How long a run may wait for an operation, in milliseconds. */
const OPERATION_MS = 100
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
  readonly log: Log
  readonly metrics?: FleetMetrics | undefined
}

/**
 * The only connection to Redis. An operation not answered within 100 ms counts as failed. After failing for a while, or
 * losing the connection, it attempts no operation until a probe is answered.
 */
export class Connection {
  readonly #known = Promise.withResolvers<void>()
  /** Resolves once it is known whether Redis is available, after the second probe at the latest. */
  readonly known = this.#known.promise
  readonly #client: Redis
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
  #failingSince: number | undefined
  /** Beats since the connection last brought an answer, however late. */
  #silentBeats = 0

  constructor(options: ConnectionOptions, replica: string) {
    this.#options = options
    this.#client = new Redis({
      ...options.settings,
      scripts,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      disableClientInfo: true,
      maxRetriesPerRequest: 0,
      connectTimeout: BEAT_MS,
      disconnectTimeout: 0,
      retryStrategy,
      sentinelRetryStrategy: retryStrategy,
      sentinelCommandTimeout: BEAT_MS,
      // After a failover the name may resolve to another host.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    })
    // ioredis takes what Redis says in protected mode for a hint about the password, and goes on.
    const { hello } = Redis.prototype
    this.#client.hello = (...args: unknown[]) =>
      hello.apply(this.#client, args as [number]).catch((error: Error) => {
        throw error.message.startsWith('DENIED') ? new Error('DENIED in protected mode') : error
      })
    const probe = () => void this.run('beat', `${PREFIX}probe`, PROBE, true)
    this.#probing = setInterval(() => {
      this.#silentBeats += 1
      probe()
      // Once what has come meanwhile is read.
      setImmediate(() => this.#reconnectIfSilent())
    }, BEAT_MS).unref()
    this.#client.on('ready', () => {
      this.#client.subscribe(CHANNEL, ALIVE + replica).catch(error => this.#reasonOf(error))
      probe()
    })
    // Deferred, so that code awaiting a reply that arrived with it can subscribe first. The channel prefix keeps keys from
    // clashing with event names such as `error`.
    this.#client.on('message', (channel, key) => setImmediate(() => this.#news.emit(channel + key)))
    this.#client.on('error', error => {
      const isSelect = (error as Partial<Refused>).command?.name === 'select'
      this.#set(false, this.#reasonOf(error, isSelect ? `SELECT ${options.settings.db}: ` : ''))
      // Else ioredis goes on in another database than was asked for.
      if (isSelect) this.#client.disconnect(true)
    })
    this.#client.on('close', () => this.#set(false, 'closed'))
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
  ): Promise<Answer<Name> | undefined> {
    if (!this.#isAvailable && !isProbe) return undefined
    const client = this.#client as unknown as Record<Name, (...args: unknown[]) => Promise<unknown>>
    const { metrics } = this.#options
    const read = (answer: unknown) => answers[name].safeParse(answer).data as Answer<Name> | undefined
    const sentAt = performance.now()
    try {
      const reply = client[name](key, key + STEPS, ...argumentsOf(given))
      const hear = () => {
        this.#silentBeats = 0
      }
      reply.then(hear, error => error instanceof ReplyError && hear())
      const answer = await inTime(reply)
      metrics?.store(name, performance.now() - sentAt)
      this.#failingSince = undefined
      // Recovery is judged by elapsed time, not turns: otherwise a slow Redis would flap with our own load.
      if (performance.now() - sentAt < BACK_MS) this.#set(true)
      return read(answer)
    } catch (error) {
      const reason = this.#reasonOf(error)
      metrics?.store(name, performance.now() - sentAt, reason)
      // What another program wrote under the key is no outage.
      if (reason === 'WRONGTYPE') return read(undefined)
      this.#failingSince ??= sentAt
      const isOver = performance.now() - this.#failingSince > UNAVAILABLE_AFTER_MS
      if (isOver || this.#client.status !== 'ready') this.#set(false, reason)
      return undefined
    }
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
    this.#client.removeAllListeners('close').disconnect()
  }

  /**
   * The other end may be gone without a word. ioredis's own `socketTimeout` goes by the clock, so it would close a healthy
   * connection when a suspended replica wakes up.
   */
  #reconnectIfSilent(): void {
    if (this.#silentBeats < SILENT_BEATS || !['connect', 'ready'].includes(this.#client.status)) return
    this.#silentBeats = 0
    this.#client.disconnect(true)
  }

  /** The error's code, or how Redis's message begins. Never the whole message, which may quote the address. */
  #reasonOf(error: unknown, before = ''): string {
    const { code, message = '' } = (error ?? {}) as NodeJS.ErrnoException
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

function retryStrategy(times: number): number {
  return Math.min(times * 100, BEAT_MS)
}

async function inTime<Reply>(reply: Promise<Reply>): Promise<Reply> {
  return await withCancellation(
    () => reply,
    cancel =>
      new TurnTimer(OPERATION_MS, () =>
        cancel(Object.assign(new Error('no answer in time'), { code: 'TIMEOUT' })),
      ),
  )
}
