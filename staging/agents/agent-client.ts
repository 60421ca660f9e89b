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
  readonly #options: AgentClientOptions

  constructor(options: AgentClientOptions) {
    this.url = options.url.replace(/\/+$/, '')
    this.#options = options
  }

  /** `POST /run`. An object is sent as JSON, anything else as it is. */
  async run(body: Body, options: Omit<CallOptions, 'body'>): Promise<Exchange> {
    return await whole(this.openRun(body, options))
  }

  /** The same for a caller who may read the reply as it comes. */
  openRun(body: Body, options: Omit<CallOptions, 'body'>): Promise<OpenReply | Exchange> {
    const { token } = this.#options
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...options.headers,
    }
    return this.open('POST', '/run', { ...options, headers, body: isRaw ? body : JSON.stringify(body) })
  }

  /** `GET /health`. */
  health(options: Omit<CallOptions, 'body'>): Promise<Exchange> {
    return this.request('GET', '/health', options)
  }

  async request(method: string, path: string, options: CallOptions): Promise<Exchange> {
    return await whole(this.open(method, path, options))
  }

  /** @returns the reply as soon as its head is there, or the failed exchange */
  async open(method: string, path: string, options: CallOptions): Promise<OpenReply | Exchange> {
    const { fetch = globalThis.fetch, clock = systemClock } = this.#options
    const startedAt = clock.monotonic()
    const wallMs = () => clock.monotonic() - startedAt
    const end = endOf(options, clock)
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers: { connection: 'close', ...options.headers },
        ...(options.body !== undefined && { body: options.body as string | Uint8Array<ArrayBuffer> }),
        redirect: 'manual',
        signal: end.signal,
      })
      const head = { status: response.status, headers: Object.fromEntries(response.headers) }
      const chunks = () => chunksOf(response, end)
      const read = async () => {
        const parts: Uint8Array[] = []
        const rest = chunks()
        let next = await rest.next()
        for (; !next.done; next = await rest.next()) parts.push(next.value)
        const [bytes, failure] = [Buffer.concat(parts), next.value]
        const json = failure === null ? parseJson(bytes) : undefined
        return { ...head, body: decode(bytes), json, wallMs: wallMs(), failure }
      }
      return { ...head, read, chunks, wallMs }
    } catch (error) {
      end.close()
      const failure = end.why ?? failureOf(error)
      return { status: null, headers: {}, body: '', json: undefined, wallMs: wallMs(), failure }
    }
  }
}

async function whole(opening: Promise<OpenReply | Exchange>): Promise<Exchange> {
  const reply = await opening
  return 'read' in reply ? await reply.read() : reply
}

/** What ends a call early: its limit, its caller, or its reader. */
function endOf({ timeoutMs, signal }: CallOptions, clock: Clock) {
  const controller = new AbortController()
  const end = {
    signal: controller.signal,
    /** What came first. */
    why: null as Failure | null,
    abort(kind: Failure['kind'], message: string): Failure {
      end.why ??= { kind, message }
      controller.abort()
      return end.why
    },
    /** Nothing ends it any more. */
    close() {
      callOff()
      signal?.removeEventListener('abort', leave)
    },
  }
  const callOff = clock.after(timeoutMs, () =>
    end.abort('timeout', `no whole reply within ${timeoutMs / 1000} s`),
  )
  const leave = () => end.abort('aborted', 'the caller left')
  signal?.addEventListener('abort', leave, { once: true })
  if (signal?.aborted) leave()
  return end
}

async function* chunksOf(
  { body }: Response,
  end: ReturnType<typeof endOf>,
): AsyncGenerator<Uint8Array, Failure | null> {
  let length = 0
  let isWhole = false
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length
      if (length > MAX_REPLY_BYTES)
        return end.abort('too_large', `the reply is longer than ${MAX_REPLY_BYTES} bytes`)
      yield chunk
    }
    isWhole = true
    // A clock other than the machine's may pass the limit while the last bytes were waiting.
    return end.why
  } catch (error) {
    return end.why ?? failureOf(error)
  } finally {
    end.close()
    if (!isWhole) end.abort('aborted', 'nobody reads on')
  }
}

/** A byte order mark stays, so that the text gives the same bytes again. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
