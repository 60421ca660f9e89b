import { EventEmitter } from 'node:events'
import { Redis } from 'ioredis'
import type { RedisSettings } from '../config/redis-url.ts'
import { type ScriptName, scripts } from './scripts.ts'

/** How long an operation may take on the way of a run: so many ticks of so many milliseconds. */
const OPERATION_TICKS = 5
const TICK_MS = 10
/** How long nothing but failures makes Redis count as away, in milliseconds. A hiccup does not. */
const AWAY_AFTER_MS = 200
/** Longest an answer of a Redis that was away may take for it to be back, in milliseconds. */
const BACK_MS = 150
/** How often it is asked whether it is there, and after what silence a connection is given up, in milliseconds. */
const PROBE_MS = 1_000

/** All keys and the channel begin with it. */
export const PREFIX = 'agent-task:'
const CHANNEL = `${PREFIX}news`

/**
 * The one connection to Redis. An operation is answered in 50 ms or counts as failed; when it has failed for a while, or
 * the connection is lost, none is tried until a probe has been answered.
 */
export class Connection {
  readonly #client: Redis
  readonly #news = new EventEmitter().setMaxListeners(0)
  readonly #onChange: (isThere: boolean, reason: string) => void
  readonly #probing: NodeJS.Timeout
  readonly #known = Promise.withResolvers<void>()
  #isThere: boolean | undefined
  #thereSince = 0
  #failingSince: number | undefined

  /**
   * @param onChange told whether Redis is there, at first and when that changes; and why it is not, in a word
   * @param probe an operation that shows whether Redis does what is asked of it, writing included
   */
  constructor(
    settings: RedisSettings,
    onChange: (isThere: boolean, reason: string) => void,
    probe: () => Promise<unknown>,
  ) {
    this.#onChange = onChange
    this.#client = new Redis({
      ...settings,
      scripts,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      disableClientInfo: true,
      maxRetriesPerRequest: 0,
      connectTimeout: PROBE_MS,
      socketTimeout: PROBE_MS,
      retryStrategy: times => Math.min(times * 100, PROBE_MS),
      // After a failover: the name may lead elsewhere by now.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    })
    this.#client.on('ready', () => {
      this.#client.subscribe(CHANNEL).catch(() => undefined)
      void probe()
    })
    // After whoever awaits a reply that came with it: they may want to hear of it.
    this.#client.on('message', (_channel: string, key: string) => setImmediate(() => this.#news.emit(key)))
    this.#client.on('error', error => this.#set(false, reasonOf(error)))
    this.#client.on('close', () => this.#set(false, 'closed'))
    this.#probing = setInterval(() => void probe(), PROBE_MS)
    this.#probing.unref()
  }

  /** Milliseconds for which Redis has been there without a break; 0: it is away. */
  get thereForMs(): number {
    return this.#isThere ? performance.now() - this.#thereSince : 0
  }

  /** Resolves when it is known whether Redis is there, after a second at the latest. */
  async known(): Promise<void> {
    const timer = setTimeout(this.#known.resolve, PROBE_MS)
    await this.#known.promise
    clearTimeout(timer)
  }

  /**
   * Runs a script.
   *
   * @param isProbe also while Redis is away
   * @returns its reply; `undefined`: none came in time, though the script may have run, or may still
   */
  async run<Reply>(
    name: ScriptName,
    key: string,
    args: readonly (string | number)[],
    isProbe = false,
  ): Promise<Reply | undefined> {
    if (!this.#isThere && !isProbe) return undefined
    const client = this.#client as unknown as Record<ScriptName, (...args: unknown[]) => Promise<Reply>>
    const sentAt = performance.now()
    try {
      const reply = await inTime(client[name](key, CHANNEL, ...args))
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
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#news.once(key, resolve)
    await promise
    clearTimeout(timer)
    this.#news.off(key, resolve)
  }

  close(): void {
    clearInterval(this.#probing)
    this.#client.removeAllListeners('close').disconnect()
  }

  #set(isThere: boolean, reason = ''): void {
    this.#known.resolve()
    if (this.#isThere === isThere) return
    this.#isThere = isThere
    this.#thereSince = performance.now()
    this.#onChange(isThere, reason)
  }
}

/** What comes in time. Ticks are counted, not the clock: a process that was held up has had no time to read the reply. */
async function inTime<Reply>(work: Promise<Reply>): Promise<Reply> {
  const overtime = Promise.withResolvers<never>()
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
    if (ticks === OPERATION_TICKS) overtime.reject(new Error('TIMEOUT no answer in time'))
  }, TICK_MS)
  try {
    return await Promise.race([work, overtime.promise])
  } finally {
    clearInterval(timer)
  }
}

/** The code of an error, or the word that Redis puts first. No message: it may quote the address. */
function reasonOf(error: unknown): string {
  const { code, message = '' } = (error ?? {}) as NodeJS.ErrnoException
  return code ?? /^[A-Z]+(?= )/.exec(message)?.[0] ?? 'no answer'
}
