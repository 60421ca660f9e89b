import http, { type Agent } from 'node:http'
import https from 'node:https'
import { AgentClient, type ExchangeOptions } from '../../agents/agent-client.ts'
import type { Exchange } from '../../agents/exchange.ts'
import { plainRequest } from '../../agents/plain-request.ts'
import { inMinutes, percentile } from '../../figures.ts'
import { OwnDelay } from '../../own-delay.ts'
import { type CheckLimits, type CheckOptions, defaultLimits } from '../options.ts'
import { NotRun } from '../verdicts.ts'
import { waysOf } from '../ways.ts'
import { replyObject } from './replies.ts'
import { Retries } from './retries.ts'
import { TimeBudget } from './time-budget.ts'

/** Why what would have asked an agent that is no longer there was not run. */
export const GONE = 'the agent no longer accepts connections'
/** No more requests are sent after this many in a row without a reply. */
const GIVE_UP_AFTER = 3
/** Bodies longer than this, in bytes, may still be on their way when the reply comes. */
const LARGE = 2 ** 16
const LARGE_TRIES = 4
/** How often to ask what is late on a busy machine. */
const BUSY_TRIES = 3

interface RequestOptions extends Pick<ExchangeOptions, 'headers' | 'body'> {
  /** Default: the limit of a run. */
  readonly timeoutMs?: number | undefined
  /** Keeps the connection for the next request with it; absent: one for this request. */
  readonly agent?: Agent | undefined
}

/** Calls one agent, and stops when further calls are pointless. */
export class AgentCalls {
  readonly client: AgentClient
  readonly limits: CheckLimits
  readonly budget: TimeBudget
  readonly delay = new OwnDelay()
  readonly signal: AbortSignal
  readonly retries: Retries
  /** Every reply, including its headers. */
  readonly replies = new Set<string>()
  /** Requests sent so far, not counting `/health`. */
  requests = 0
  /**
   * Each of them that ended, and what came of it; nothing, if the caller hung up. `at` is when it was sent, or the caller hung
   * up, in milliseconds.
   */
  readonly sent: {
    readonly at: number
    readonly bytes: number
    readonly isKept?: boolean
    readonly exchange?: Exchange
  }[] = []
  /** Called after each of them. */
  onRequest = () => {}
  healthNeedsToken = false
  /** The answers of `/health` so far. */
  readonly polls: Exchange[] = []
  readonly underWay = new Set<Promise<Exchange>>()
  /** Callers that wait for a while and then hang up, and how many there were so far. */
  readonly leaving = { now: 0, all: 0 }
  readonly #options: CheckOptions
  #unanswered = 0
  #isAdmitted = false
  /** The agent asked for another token before it ran any task: nothing that follows would say anything about it. */
  isRefused = false

  constructor(options: CheckOptions) {
    this.#options = options
    this.limits = { ...defaultLimits, ...options.limits }
    this.client = new AgentClient({ url: options.url, token: options.token })
    this.budget = new TimeBudget({ ...this.limits, totalMs: options.totalMs })
    const { signal } = this.budget
    this.signal = options.signal ? AbortSignal.any([options.signal, signal]) : signal
    this.retries = new Retries(this.signal)
  }

  /** Why requests have stopped; undefined while they continue. */
  get end(): string | undefined {
    if (this.#options.signal?.aborted) return 'the checks were stopped first'
    if (this.isRefused) return this.#refusal
    if (!this.signal.aborted) return undefined
    const { limitMs, estimateMs = 0 } = this.budget
    const minutes = Math.ceil(Math.max(2 * limitMs, estimateMs) / 60_000)
    return `the ${inMinutes(limitMs)} for all checks were over (${waysOf(this.#options).time(minutes)})`
  }

  /** Round-trip time to the agent in milliseconds, measured with `/health`; a busy machine takes its time. */
  get wayMs(): number {
    const times = this.polls.map(({ wallMs }) => wallMs)
    return times.length === 0 ? 0 : percentile(times, 95)
  }

  /** Allows one more try to reach an agent that was given up on. */
  tryAgain(): void {
    this.#unanswered = Math.min(this.#unanswered, GIVE_UP_AFTER - 1)
  }

  /** How `/health` is asked: with the given headers, or with a token only if it needs one. */
  healthCall(headers = this.healthNeedsToken ? this.bearer() : {}) {
    return { timeoutMs: this.limits.healthTimeoutMs, signal: this.signal, headers }
  }

  /** `GET /health`. */
  async health(headers?: Record<string, string>): Promise<Exchange> {
    if (this.end !== undefined) throw new NotRun(this.end)
    const exchange = await this.fairly(() => this.client.health(this.healthCall(headers)))
    if (headers === undefined && !this.healthNeedsToken && [401, 403].includes(exchange.status ?? 0)) {
      this.healthNeedsToken = true
      return await this.health()
    }
    if (exchange.failure === null) this.polls.push(exchange)
    return this.#recorded(exchange)
  }

  /**
   * Sends any request to `/run` or elsewhere.
   *
   * @throws NotRun if requests have stopped, or the agent cannot be reached
   */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Exchange> {
    const { timeoutMs = this.limits.runTimeoutMs, body, agent } = options
    const headers = { ...this.bearer(), ...options.headers }
    const call = { timeoutMs, headers, body, signal: this.signal }
    const exchange = await this.by(
      () =>
        agent
          ? plainRequest(method, `${this.client.url}${path}`, { ...call, agent })
          : this.#request(method, path, call),
      { bytes: body?.length ?? 0, isKept: agent !== undefined },
    )
    // Another request ended the agent, so its absence says nothing about this one.
    if (exchange.failure?.kind === 'refused') throw new NotRun(GONE)
    this.#isAdmitted ||= replyObject(exchange)?.status === 'success'
    const isOurs = path === '/run' && method === 'POST' && options.headers?.authorization === undefined
    this.isRefused ||= isOurs && !this.#isAdmitted && [401, 403].includes(exchange.status ?? 0)
    if (this.isRefused) throw new NotRun(this.#refusal)
    return exchange
  }

  /** An agent may refuse a large body before its end. Whether that reply is lost with the connection may be chance. */
  async #request(method: string, path: string, call: ExchangeOptions): Promise<Exchange> {
    if ((call.body?.length ?? 0) <= LARGE) return await this.client.request(method, path, call)
    for (let tries = LARGE_TRIES; ; tries -= 1) {
      const exchange = await plainRequest(method, `${this.client.url}${path}`, {
        ...call,
        signal: this.signal,
      })
      if (tries === 1 || exchange.failure?.kind !== 'reset') return exchange
    }
  }

  #count(): void {
    this.requests += 1
    this.onRequest()
  }

  /** Posts to `/run` a body that is JSON or pretends to be. */
  post(body: string | object, options: Omit<RequestOptions, 'body'> = {}): Promise<Exchange> {
    const headers = { 'content-type': 'application/json', ...options.headers }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.send('POST', '/run', { ...options, headers, body: text })
  }

  /**
   * Sends the beginning of a body to `/run`, under the length of the whole, and does not wait for a reply.
   *
   * @param length how many characters to send
   * @returns hangs up
   */
  async begin(body: string, length: number): Promise<() => void> {
    if (this.end !== undefined) throw new NotRun(this.end)
    this.#count()
    const { request } = this.client.url.startsWith('https:') ? https : http
    const headers = {
      ...this.bearer(),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const options = { method: 'POST', headers, agent: false, signal: this.signal }
    const begun = request(`${this.client.url}/run`, options)
    begun.on('error', () => {}).on('response', reply => reply.resume().on('error', () => {}))
    const sent = new Promise(resolve => begun.write(body.slice(0, length), resolve))
    const closed = new Promise(resolve => begun.once('close', resolve))
    this.leaving.now += 1
    this.leaving.all += 1
    await Promise.race([sent, closed])
    if (this.end !== undefined) throw new NotRun(this.end)
    return () => {
      this.leaving.now -= 1
      this.sent.push({ at: Date.now(), bytes: length })
      begun.destroy()
    }
  }

  /**
   * Makes a request in any other way, such as through a platform.
   *
   * @param facts about how long its body is, and whether its connection is kept
   */
  async by(request: () => Promise<Exchange>, facts = { bytes: 0, isKept: false }): Promise<Exchange> {
    const isGivenUp = this.#unanswered >= GIVE_UP_AFTER
    const obstacle =
      this.end ?? (isGivenUp && `${GIVE_UP_AFTER} requests in a row got no reply, so requests stopped`)
    if (obstacle) throw new NotRun(obstacle)
    const isBeside = this.underWay.size > 0
    const at = Date.now()
    const send = async () =>
      await this.fairly(() => {
        this.#count()
        return request()
      })
    const call = this.retries.send(send, () => !isBeside && this.underWay.size === 1)
    this.underWay.add(call)
    const exchange = await call.finally(() => this.underWay.delete(call))
    this.sent.push({ at, exchange, ...facts })
    if (this.end !== undefined && exchange.failure?.kind === 'aborted') throw new NotRun(this.end)
    // A request cut off beside others says nothing about one that is alone.
    if (exchange.failure === null) this.#unanswered = 0
    else if (!isBeside || exchange.failure.kind !== 'reset') this.#unanswered += 1
    return this.#recorded(exchange)
  }

  /**
   * Asks again for what was late while this machine was too busy: that says nothing about the agent.
   *
   * @throws NotRun if it is late each time
   */
  async fairly(ask: () => Promise<Exchange>): Promise<Exchange> {
    for (let tries = BUSY_TRIES; ; tries -= 1) {
      const { result, busy } = await this.delay.during(ask)
      if (result.failure?.kind !== 'timeout' || busy === undefined) return result
      if (tries === 1) throw new NotRun(`${busy.why}, and ${result.failure.message}`)
    }
  }

  get #refusal(): string {
    const token = this.#options.token === undefined ? 'without a token' : 'with the given token'
    return `the agent refuses runs ${token}: give the variable that holds its token, ${waysOf(this.#options).token}; nothing else was checked`
  }

  #recorded(exchange: Exchange): Exchange {
    this.replies.add(`${JSON.stringify(exchange.headers)} ${exchange.body}`)
    return exchange
  }

  bearer(): Record<string, string> {
    const { token } = this.#options
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }
}
