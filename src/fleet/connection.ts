import { EventEmitter, once } from 'node:events'
import { Redis } from 'ioredis'
import { TurnTimer } from '../../graph/run/turn-timer.ts'
import type { RedisSettings } from '../config/redis-url.ts'
import type { Log } from '../log.ts'
import { BEAT_MS, CHANNEL, PREFIX, scripts } from './lua.ts'

/** How long an operation may take on the way of a run, in milliseconds. */
const OPERATION_MS = 50
/** How long nothing but failures makes Redis count as away, in milliseconds. A hiccup does not. */
const AWAY_AFTER_MS = 200
/** Longest an answer of a Redis that was away may take for it to be back, in milliseconds. */
const BACK_MS = 150

export interface ConnectionOptions {
  readonly settings: RedisSettings
  readonly log: Log
  /** Told whether tasks are shared, at first and when that changes. */
  readonly onChange?: ((isShared: boolean) => void) | undefined
}

/**
 * The one connection to Redis. An operation is answered in 50 ms or counts as failed; when it has failed for a while, or
 * the connection is lost, none is tried until a probe has been answered.
 */
export class Connection {
  readonly #known = Promise.withResolvers<void>()
  /** Resolves when it is known whether Redis is there, after the second probe at the latest. */
  readonly known = this.#known.promise
  readonly #client: Redis
  readonly #options: ConnectionOptions
  readonly #news = new EventEmitter().setMaxListeners(0)
  readonly #probing: NodeJS.Timeout
  #isThere: boolean | undefined
  #since = 0
  #failingSince: number | undefined

  constructor(options: ConnectionOptions) {
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
      socketTimeout: BEAT_MS,
      retryStrategy: times => Math.min(times * 100, BEAT_MS),
      // After a failover: the name may lead elsewhere by now.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    })
    // A heartbeat of no task: it writes, so a Redis that is full or read-only does not count as there.
    const probe = () => void this.run('beat', `${PREFIX}probe`, ['probe', 0, BEAT_MS, 0], true)
    this.#probing = setInterval(probe, BEAT_MS).unref()
    this.#client.on('ready', () => {
      this.#client.subscribe(CHANNEL).catch(() => undefined)
      probe()
    })
    // After whoever awaits a reply that came with it: they may want to hear. No key is the name of an event: not `error`.
    this.#client.on('message', (channel, key) => setImmediate(() => this.#news.emit(channel + key)))
    this.#client.on('error', error => this.#set(false, reasonOf(error)))
    this.#client.on('close', () => this.#set(false, 'closed'))
  }

  /** Milliseconds for which Redis has been there without a break; 0: it is away. */
  get thereForMs(): number {
    return this.#isThere ? performance.now() - this.#since : 0
  }

  /**
   * Runs a script.
   *
   * @param isProbe also while Redis is away
   * @returns its reply; `undefined`: none came in time, though the script may have run, or may still
   */
  async run<Reply>(name: keyof typeof scripts, key: string, args: (string | number)[], isProbe = false) {
    if (!this.#isThere && !isProbe) return undefined
    const client = this.#client as unknown as Record<typeof name, (...args: unknown[]) => Promise<Reply>>
    const sentAt = performance.now()
    try {
      const reply = await inTime(client[name](key, ...args))
      this.#failingSince = undefined
      // Back again only by the clock: a slow Redis must not come and go with how busy we are.
      if (performance.now() - sentAt < BACK_MS) this.#set(true)
      return reply
    } catch (error) {
      this.#failingSince ??= sentAt
      const isOver = performance.now() - this.#failingSince > AWAY_AFTER_MS
      if (isOver || this.#client.status !== 'ready') this.#set(false, reasonOf(error))
      return undefined
    }
  }

  /** Resolves at the next news of a key, or when the time is over. */
  async news(key: string, ms: number): Promise<void> {
    const signal = AbortSignal.timeout(Math.ceil(ms))
    await once(this.#news, CHANNEL + key, { signal }).catch(() => undefined)
  }

  close(): void {
    clearInterval(this.#probing)
    this.#client.removeAllListeners('close').disconnect()
  }

  #set(isThere: boolean, reason = ''): void {
    if (this.#isThere === isThere) return
    const { log, onChange } = this.#options
    const level = isThere && this.#isThere === undefined ? 'info' : 'warn'
    this.#isThere = isThere
    this.#since = performance.now()
    if (isThere) log[level]('tasks are shared with the other replicas')
    else log.warn({ reason }, 'Redis is away: tasks are not shared with the other replicas')
    onChange?.(isThere)
    this.#known.resolve()
  }
}

async function inTime<Reply>(work: Promise<Reply>): Promise<Reply> {
  const overtime = Promise.withResolvers<never>()
  using _timer = new TurnTimer(OPERATION_MS, () => overtime.reject(new Error('TIMEOUT no answer in time')))
  return await Promise.race([work, overtime.promise])
}

/** The code of an error, or the word that Redis puts first. No message: it may quote the address. */
function reasonOf(error: unknown): string {
  const { code, message = '' } = (error ?? {}) as NodeJS.ErrnoException
  return code ?? /^[A-Z]+(?= )/.exec(message)?.[0] ?? 'no answer'
}
