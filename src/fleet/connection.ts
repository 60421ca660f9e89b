import { EventEmitter } from 'node:events'
import { Redis } from 'ioredis'
import type { RedisSettings } from '../config/redis-url.ts'
import { type ScriptName, scripts } from './scripts.ts'

/** How long an operation may take on the way of a run: so many ticks of so many milliseconds. */
const OPERATION_TICKS = 5
const TICK_MS = 10
/** Longest an answer of a Redis that was away may take for it to be back, in milliseconds. */
const BACK_MS = 150
/** How long nothing but failures makes Redis count as away, in milliseconds. A hiccup does not. */
const AWAY_AFTER_MS = 200
/** How often it is asked whether it is there, in milliseconds. */
const PROBE_MS = 1_000
/** Silence after which a connection is given up, in milliseconds. */
const SILENCE_MS = 1_000

/** All keys and the channel begin with it. */
export const PREFIX = 'agent-task:'
const CHANNEL = `${PREFIX}news`

/** @param reason why it is away, in a word */
export type OnChange = (isThere: boolean, reason?: string, isFirst?: boolean) => void

/**
 * The one connection to Redis. An operation is answered in 50 ms or counts as failed; when it has failed for a while, or
 * the connection is lost, none is tried until a probe has been answered in that time.
 */
export class Connection {
  readonly #client: Redis
  readonly #news = new EventEmitter().setMaxListeners(0)
  readonly #onChange: OnChange
  readonly #probe: () => Promise<unknown>
  readonly #probing: NodeJS.Timeout
  #failingSince: number | undefined
  #thereSince: number | undefined
  #isKnown = Promise.withResolvers<void>()
  #wasThere: boolean | undefined

  /** @param probe an operation that shows whether Redis does what is asked of it, writing included */
  constructor(settings: RedisSettings, onChange: OnChange, probe: () => Promise<unknown>) {
    this.#onChange = onChange
    this.#probe = probe
    this.#client = new Redis({
      ...settings,
      scripts,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      disableClientInfo: true,
      maxRetriesPerRequest: 0,
      connectTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      retryStrategy: times => Math.min(times * 100, PROBE_MS),
      // After a failover: the name may lead elsewhere by now.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    })
    this.#client.on('ready', () => {
      this.#client.subscribe(CHANNEL).catch(() => undefined)
      void this.#probe()
    })
    // After whoever awaits a reply that came with it: they may want to hear of it.
    this.#client.on('message', (_channel: string, key: string) => setImmediate(() => this.#news.emit(key)))
    this.#client.on('error', error => this.#away(reasonOf(error)))
    this.#client.on('close', () => this.#away('closed'))
    this.#probing = setInterval(() => void this.#probe(), PROBE_MS)
    this.#probing.unref()
  }

  /** Milliseconds for which Redis has been there without a break; 0: it is away. */
  get thereForMs(): number {
    return this.#thereSince === undefined ? 0 : performance.now() - this.#thereSince
  }

  /** Resolves when it is known whether Redis is there, after a second at the latest. */
  async known(): Promise<void> {
    const timer = setTimeout(() => this.#isKnown.resolve(), PROBE_MS)
    await this.#isKnown.promise
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
    if (this.#thereSince === undefined && !isProbe) return undefined
    const client = this.#client as unknown as Record<ScriptName, (...args: unknown[]) => Promise<Reply>>
    try {
      const sentAt = performance.now()
      const reply = await inTime(client[name](key, CHANNEL, ...args))
      this.#failingSince = undefined
      // Back again only by the clock: a slow Redis must not come and go with how busy we are.
      if (performance.now() - sentAt < BACK_MS) this.#there()
      return reply
    } catch (error) {
      this.#failingSince ??= performance.now()
      const failingMs = performance.now() - this.#failingSince
      if (failingMs > AWAY_AFTER_MS || this.#client.status !== 'ready') this.#away(reasonOf(error))
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
    this.#client.removeAllListeners('close')
    this.#client.disconnect()
  }

  #there(): void {
    this.#thereSince ??= performance.now()
    this.#tell(true)
  }

  #away(reason: string): void {
    this.#thereSince = undefined
    this.#tell(false, reason)
  }

  #tell(isThere: boolean, reason?: string): void {
    this.#isKnown.resolve()
    const was = this.#wasThere
    if (was === isThere) return
    this.#wasThere = isThere
    this.#onChange(isThere, reason, was === undefined)
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
