import { type Exchange, type Failure, failureOf, parseJsonBytes } from './exchange.ts'

/** Longest reply read, in bytes: far more than any answer needs, and safe to hold in memory. */
export const MAX_REPLY_BYTES = 8 * 2 ** 20

/** An object is sent as JSON, anything else unchanged. */
type Body = string | Uint8Array | object

export interface ExchangeOptions {
  /** For the whole exchange, to the last byte. */
  readonly timeoutMs: number
  /** Added to the client's own; the same name replaces it. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  readonly body?: string | Uint8Array | undefined
}

/** A reply that has begun. Read its body with one of the two methods. */
export interface OpenReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Reads the whole body. */
  read(): Promise<Exchange>
  /** Milliseconds since the call. */
  wallMs(): number
  /** Yields the body as it arrives; returns what cut it off, or null. */
  chunks(): AsyncGenerator<Uint8Array, Failure | null>
}

interface AgentClientOptions {
  /** The agent's URL without a path: `http://localhost:8080`. */
  readonly url: string
  /** The agent's own bearer token, sent only to `/run`. */
  readonly token?: string | undefined
  readonly fetch?: typeof globalThis.fetch
}

/**
 * Calls an agent over HTTP. Never throws because of the agent: its faults are in the exchange's `failure`. Does not follow
 * redirects. Every call opens a new connection, so none reuses one that is closing.
 *
 * @example
 * const client = new AgentClient({ url: 'http://localhost:8080' })
 * const { status, json, failure } = await client.run({ task_id: 'test-1', input: 'What is 15% of 240?' }, { timeoutMs: 120_000 })
 */
export class AgentClient {
  readonly #options: AgentClientOptions

  constructor(options: AgentClientOptions) {
    this.#options = options
  }

  /** As the options say at the time of a call. */
  get url(): string {
    return this.#options.url.replace(/\/+$/, '')
  }

  /** `POST /run`. An object is sent as JSON, anything else unchanged. */
  async run(body: Body, options: Omit<ExchangeOptions, 'body'>): Promise<Exchange> {
    return await wholeOf(this.openRun(body, options))
  }

  /** Like `run`, but lets the caller read the reply as it arrives. */
  openRun(body: Body, options: Omit<ExchangeOptions, 'body'>): Promise<OpenReply | Exchange> {
    const { token } = this.#options
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...options.headers,
    }
    return this.open('POST', '/run', { ...options, headers, body: isRaw ? body : JSON.stringify(body) })
  }

  health(options: Omit<ExchangeOptions, 'body'>): Promise<Exchange> {
    return this.request('GET', '/health', options)
  }

  async request(method: string, path: string, options: ExchangeOptions): Promise<Exchange> {
    return await wholeOf(this.open(method, path, options))
  }

  /** @returns the reply once its headers are there, or the failed exchange */
  async open(method: string, path: string, options: ExchangeOptions): Promise<OpenReply | Exchange> {
    const { fetch = globalThis.fetch } = this.#options
    const startedAt = performance.now()
    const wallMs = () => performance.now() - startedAt
    const end = endOf(options)
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
        const json = failure === null ? parseJsonBytes(bytes) : undefined
        // Keeps a byte order mark, so that the text encodes to the same bytes again.
        const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
        return { ...head, body, json, wallMs: wallMs(), failure }
      }
      return { ...head, read, chunks, wallMs }
    } catch (error) {
      end.close()
      const failure = end.why ?? failureOf(error)
      return { status: null, headers: {}, body: '', json: undefined, wallMs: wallMs(), failure }
    }
  }
}

/** A reply, read to its end. */
export async function wholeOf(
  opening: Promise<OpenReply | Exchange> | OpenReply | Exchange,
): Promise<Exchange> {
  const reply = await opening
  return 'read' in reply ? await reply.read() : reply
}

/** What ends a call early: its limit, its caller, or its reader. */
function endOf({ timeoutMs, signal: caller }: ExchangeOptions) {
  const own = new AbortController()
  const end = (kind: Failure['kind'], message: string) => own.abort({ kind, message } satisfies Failure)
  const late = () => end('timeout', `no complete reply within ${timeoutMs / 1000} s`)
  const timer = setTimeout(late, timeoutMs)
  const leave = () => end('aborted', 'the caller hung up')
  caller?.addEventListener('abort', leave, { once: true })
  if (caller?.aborted) leave()
  return {
    signal: own.signal,
    /** What ended it first; null if nothing did. */
    get why(): Failure | null {
      return own.signal.aborted ? own.signal.reason : null
    },
    abort: end,
    /** From now on nothing ends it. */
    close() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', leave)
    },
  }
}

async function* chunksOf(
  { body }: Response,
  end: ReturnType<typeof endOf>,
): AsyncGenerator<Uint8Array, Failure | null> {
  let length = 0
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length
      if (length > MAX_REPLY_BYTES)
        end.abort('too_large', `the reply is longer than ${MAX_REPLY_BYTES} bytes`)
      if (end.why !== null) return end.why
      yield chunk
    }
    return end.why
  } catch (error) {
    return end.why ?? failureOf(error)
  } finally {
    end.close()
    // A reply that was read to its end has nothing left to abort.
    end.abort('aborted', 'the reader stopped')
  }
}
