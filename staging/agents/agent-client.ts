import { type Clock, systemClock } from '../clock.ts'
import { type Exchange, type Failure, failureOf, parseJson } from './exchange.ts'

export type { Exchange, Failure } from './exchange.ts'

/** Longest reply that is read, in bytes: far beyond any answer, and no danger to the reader. */
const MAX_REPLY_BYTES = 8 * 2 ** 20

/** An object is sent as JSON, anything else as it is. */
type Body = string | Uint8Array | object

export interface CallOptions {
  /** For the whole exchange, to the last byte. */
  readonly timeoutMs: number
  /** Added to the client's own; the same name replaces it. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  readonly body?: string | Uint8Array | undefined
}

/** A reply that has begun. Its body is to be read by one of the two. */
export interface OpenReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Reads the whole body. */
  read(): Promise<Exchange>
  /** Milliseconds since the call. */
  wallMs(): number
  /** The body as it comes; what the exchange came to is the return value. */
  chunks(): AsyncGenerator<Uint8Array, Failure | null>
}

export interface AgentClientOptions {
  /** Of the agent, without a path: `http://localhost:8080`. */
  readonly url: string
  /** The agent's own bearer token, sent to `/run` alone. */
  readonly token?: string | undefined
  readonly fetch?: typeof globalThis.fetch
  readonly clock?: Clock
}

/**
 * Calls an agent over the wire. Never throws for what the agent does: a fault of its is the exchange's `failure`.
 * Redirects are not followed; every call has a connection of its own, so that none meets one that is being closed.
 */
export class AgentClient {
  readonly url: string
  readonly #token: string | undefined
  readonly #fetch: typeof globalThis.fetch
  readonly #clock: Clock

  constructor({ url, token, fetch = globalThis.fetch, clock = systemClock }: AgentClientOptions) {
    this.url = url.replace(/\/+$/, '')
    this.#token = token
    this.#fetch = fetch
    this.#clock = clock
  }

  /** `POST /run`. An object is sent as JSON, anything else as it is. */
  run(body: Body, options: Omit<CallOptions, 'body'>): Promise<Exchange> {
    return this.request('POST', '/run', this.#runOptions(body, options))
  }

  /** `POST /run` of a caller who may read the reply as it comes. */
  openRun(body: Body, options: Omit<CallOptions, 'body'>): Promise<OpenReply | Exchange> {
    return this.open('POST', '/run', this.#runOptions(body, options))
  }

  /** `GET /health`. */
  health(options: Omit<CallOptions, 'body'>): Promise<Exchange> {
    return this.request('GET', '/health', options)
  }

  async request(method: string, path: string, options: CallOptions): Promise<Exchange> {
    const reply = await this.open(method, path, options)
    return 'read' in reply ? await reply.read() : reply
  }

  /** @returns the reply as soon as its head is there, or the failed exchange */
  async open(method: string, path: string, options: CallOptions): Promise<OpenReply | Exchange> {
    const call = new Call(this.#clock, options)
    try {
      const response = await this.#fetch(`${this.url}${path}`, {
        method,
        headers: { connection: 'close', ...options.headers },
        ...(options.body !== undefined && { body: options.body as string | Uint8Array<ArrayBuffer> }),
        redirect: 'manual',
        signal: call.signal,
      })
      return call.opened(response)
    } catch (error) {
      return call.ended(call.failure(error))
    }
  }

  #runOptions(body: Body, options: Omit<CallOptions, 'body'>): CallOptions {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const headers = {
      'content-type': 'application/json',
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      ...options.headers,
    }
    return { ...options, headers, body: isRaw ? body : JSON.stringify(body) }
  }
}

type Head = Pick<OpenReply, 'status' | 'headers'>

/** One exchange under way: its clock, its limit and the caller's signal. */
class Call {
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #controller = new AbortController()
  readonly #close: () => void
  #why: Failure | null = null

  constructor(clock: Clock, { timeoutMs, signal }: CallOptions) {
    this.#clock = clock
    this.#startedAt = clock.monotonic()
    const cancelTimer = clock.after(timeoutMs, () =>
      this.#abort({ kind: 'timeout', message: `no whole reply within ${timeoutMs / 1000} s` }),
    )
    const leave = () => this.#abort({ kind: 'aborted', message: 'the caller left' })
    signal?.addEventListener('abort', leave, { once: true })
    if (signal?.aborted) leave()
    this.#close = () => {
      cancelTimer()
      signal?.removeEventListener('abort', leave)
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  failure(error: unknown): Failure {
    return this.#why ?? failureOf(error)
  }

  ended(failure: Failure | null, reply?: Head, bytes?: Uint8Array): Exchange {
    this.#close()
    return {
      status: reply?.status ?? null,
      headers: reply?.headers ?? {},
      body: bytes === undefined ? '' : decode(bytes),
      json: bytes === undefined || failure !== null ? undefined : parseJson(bytes),
      wallMs: this.#wallMs(),
      failure,
    }
  }

  opened(response: Response): OpenReply {
    const head = { status: response.status, headers: Object.fromEntries(response.headers) }
    const chunks = () => this.#chunks(response)
    const read = async () => {
      const parts: Uint8Array[] = []
      const body = chunks()
      let next = await body.next()
      for (; !next.done; next = await body.next()) parts.push(next.value)
      return this.ended(next.value, head, Buffer.concat(parts))
    }
    return { ...head, read, chunks, wallMs: () => this.#wallMs() }
  }

  #wallMs(): number {
    return this.#clock.monotonic() - this.#startedAt
  }

  async *#chunks(response: Response): AsyncGenerator<Uint8Array, Failure | null> {
    let length = 0
    let isWhole = false
    try {
      for await (const chunk of response.body ?? []) {
        length += chunk.length
        if (length > MAX_REPLY_BYTES) {
          const message = `the reply is longer than ${MAX_REPLY_BYTES} bytes`
          return this.#abort({ kind: 'too_large', message })
        }
        yield chunk
      }
      isWhole = true
      // A clock other than the machine's may pass the limit while the last bytes were waiting.
      return this.#why
    } catch (error) {
      return this.failure(error)
    } finally {
      this.#close()
      if (!isWhole) this.#controller.abort()
    }
  }

  #abort(why: Failure): Failure {
    this.#why ??= why
    this.#controller.abort()
    return this.#why
  }
}

/** A byte order mark stays, so that the text gives the same bytes again. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
