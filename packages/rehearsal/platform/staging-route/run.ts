import { type OpenReply, wholeOf } from '../../agents/agent-client.ts'
import { eventRecorder } from '../../agents/event-recorder.ts'
import type { Exchange, Failure } from '../../agents/exchange.ts'
import type { Replica } from '../../agents/start-agent.ts'
import { REPLICA_LOST, type RecordedEvent, type RunRecord } from '../../api.ts'
import { HEALTH_INTERVAL_MS, RUN_TIMEOUT_MS } from '../../limits.ts'
import type { RunBegin } from '../../store/run-log.ts'
import type { Agent, Common } from '../common.ts'
import { answerTo, isEventStream, streamed, toResponse } from './answer.ts'
import { outcomeOf, PLATFORM_FAILED, type RelayResult, refuse } from './outcome.ts'
import { isStream, relay, type TakenOver } from './relay.ts'
import { type ReceivedTask, readTask } from './task.ts'

const HUNG_UP = 'the caller hung up'
const NOT_READ = 'the caller stopped reading'
/** How the connection to a process ends that has ended. */
const CONNECTION_LOST: ReadonlySet<Failure['kind'] | undefined> = new Set(['reset', 'refused'])
/** After the agent's own time, so long may the end of a stream wait for its reader, in milliseconds. */
const READING_MS = 5_000

/** A request for a run. */
export interface RunOrder extends Pick<RunBegin, 'byChecks' | 'check' | 'repeatOf'> {
  /** The task, passed to the agent byte for byte. */
  readonly body: Uint8Array
  /** Passed to the agent beside the platform's own, by names in lower case. */
  readonly headers: Readonly<Partial<Record<'accept' | 'prefer', string>>>
  /** Aborts if the caller hangs up; absent: the platform itself waits for the reply. */
  readonly caller?: AbortSignal
}

/** One run on an agent. It is on record from its beginning, and with its end before its caller gets the reply. */
export class StagingRun {
  /** Of its record. */
  readonly id: number
  readonly agent: Agent
  readonly order: RunOrder
  readonly #common: Common
  readonly #task: ReceivedTask
  readonly #startedAt: number
  #endLog: ReturnType<NonNullable<Agent['lines']>['begin']> | undefined
  readonly #recorder = eventRecorder()
  readonly #cancelling = new AbortController()
  /** Aborts when it is cancelled, or its caller hangs up. */
  readonly #ending: AbortSignal
  #replica: Replica | undefined
  readonly #ended = Promise.withResolvers<void>()
  /** Resolves when its end is on record. */
  readonly ended = this.#ended.promise

  constructor(agent: Agent, order: RunOrder, common: Common) {
    this.agent = agent
    this.order = order
    this.#common = common
    this.#task = readTask(order.body)
    this.#startedAt = performance.now()
    this.#ending = AbortSignal.any([this.#cancelling.signal, ...(order.caller ? [order.caller] : [])])
    const request = new TextDecoder().decode(order.body)
    this.id = common.store.runs.begin({ ...order, agentId: agent.id, at: new Date(), request })
  }

  /** The one that has the task, if its agent has replicas. */
  get replica(): Replica | undefined {
    return this.#replica
  }

  /** How many replicas it has lost. */
  get lost(): number {
    return this.events.filter(({ type }) => type === REPLICA_LOST).length
  }

  /** What the agent has sent so far, still with secrets. */
  get events(): readonly RecordedEvent[] {
    return this.#recorder.all
  }

  /** The same for people: without secrets, and without the beginning of one. */
  get shownEvents(): readonly RecordedEvent[] {
    const { redact } = this.#common
    return redact.json(this.#recorder.soFar(redact.growing)) as readonly RecordedEvent[]
  }

  /** What its models have read so far, without secrets. */
  get modelInputs(): readonly RecordedEvent[] {
    return this.#common.redact.json(this.#recorder.modelInputs) as readonly RecordedEvent[]
  }

  /**
   * Hangs up on the agent; resolves when that is on record.
   *
   * @param why in words: `the platform stopped`
   */
  async cancel(why: string): Promise<void> {
    this.#cancelling.abort(why)
    await this.ended
  }

  /** Sends the task to the agent. Resolves with the reply for the caller, which may still be arriving. */
  async answer(): Promise<Response> {
    try {
      return await this.#ask()
    } catch (error) {
      const { httpStatus, answer } = this.#fail(error)
      return toResponse(httpStatus, answer)
    }
  }

  async #ask(): Promise<Response> {
    const { agent, order } = this
    this.#endLog = agent.lines?.begin()
    const { state, since, cause } = agent.monitor.availability
    if (state === 'unavailable') {
      const why = this.#common.redact.text(`${agent.id} has been unavailable since ${since}: ${cause}`)
      const { answer } = this.#record(refuse(503, why, this.#task))
      return toResponse(503, answer!, { 'Retry-After': String(HEALTH_INTERVAL_MS / 1000) })
    }
    let reply = await this.#send()
    for (;;) {
      if (isEventStream(order.headers.accept) && isStream(reply)) return this.#streamed(reply)
      const exchange = await wholeOf(reply)
      const taken = await this.#takeOver(exchange.failure)
      if (taken === undefined) return answerTo(exchange, this.#conclude(exchange))
      reply = taken.reply
    }
  }

  async #send(): Promise<OpenReply | Exchange> {
    const { agent, order } = this
    this.#replica = agent.replicas?.current
    return await agent.client.openRun(order.body, {
      timeoutMs: RUN_TIMEOUT_MS - this.#wallMs(),
      headers: order.headers,
      signal: this.#ending,
    })
  }

  /** Sends the same task to another replica, if the one that had it was lost before its reply. */
  async #takeOver(failure: Failure | null): Promise<TakenOver | undefined> {
    const lost = this.#replica
    if (lost === undefined || !CONNECTION_LOST.has(failure?.kind)) return undefined
    const at = inSeconds(this.#wallMs())
    const ended = new Promise<undefined>(resolve => {
      this.#ending.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    const next = await Promise.race([this.agent.replicas!.after(lost), ended])
    if (next === undefined) return undefined
    const data = { at, replica: lost.number, next: next.number, next_at: inSeconds(this.#wallMs()) }
    this.#recorder.add(REPLICA_LOST, data, 0)
    return { lost: { type: REPLICA_LOST, data }, reply: await this.#send() }
  }

  #streamed(reply: OpenReply): Response {
    const events = relay(reply, this.#recorder, {
      // The exchange stands for a reply without a stream: its headers are not those that came.
      conclude: exchange => this.#conclude(exchange, reply.headers),
      fail: error => this.#fail(error),
      takeOver: failure => this.#takeOver(failure),
    })
    this.#endWithoutReader(events)
    return streamed(events, () => this.#cancelling.abort(HUNG_UP))
  }

  /** Ends the stream when the run is cancelled or its time is over, even if its caller has stopped reading. */
  #endWithoutReader(events: AsyncGenerator<string, void>): void {
    const { signal } = this.#cancelling
    signal.addEventListener('abort', () => void events.return(), { once: true })
    const overtime = setTimeout(() => this.#cancelling.abort(NOT_READ), RUN_TIMEOUT_MS + READING_MS)
    void this.ended.then(() => clearTimeout(overtime))
  }

  #conclude(exchange: Exchange, headers = exchange.headers): RelayResult {
    const { status, body } = exchange
    const failure = this.#reasoned(exchange.failure)
    try {
      const outcome = outcomeOf(this.agent.id, { ...exchange, failure }, this.#task, this.#common.redact)
      return this.#record(outcome, { agentStatus: status, headers, body })
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** Ends the run because the platform itself failed. What the agent sent may be the cause, so it is not on record. */
  #fail(error: unknown) {
    const outcome = refuse(500, PLATFORM_FAILED, this.#task)
    const { answer, ...end } = outcome
    const wallMs = this.#wallMs()
    try {
      this.#common.store.runs.end(this.id, { ...end, wallMs, reply: JSON.stringify(answer) })
    } finally {
      this.#ended.resolve()
      this.#common.onFault(error)
    }
    return outcome
  }

  /** Says who hung up on the agent. */
  #reasoned(failure: Failure | null): Failure | null {
    if (failure === null || !(failure.kind === 'aborted' || this.#ending.aborted)) return failure
    const { aborted, reason } = this.#cancelling.signal
    return { kind: 'aborted', message: aborted ? String(reason) : HUNG_UP }
  }

  /** Milliseconds since its beginning. */
  #wallMs(): number {
    return performance.now() - this.#startedAt
  }

  /** @param received what the agent sent; absent: it was not asked */
  #record(
    outcome: RelayResult,
    received?: Pick<RunRecord, 'agentStatus' | 'headers'> & { readonly body: string },
  ): RelayResult {
    const { answer, ...judged } = outcome
    const { body = '', ...head } = received ?? {}
    const reply = body === '' && answer !== null ? JSON.stringify(answer) : body
    const wallMs = this.#wallMs()
    this.#common.store.runs.end(this.id, { ...judged, ...head, wallMs, reply, events: this.events })
    this.#ended.resolve()
    this.#endLog?.(this.#task.echo, logged => this.#addLog(logged))
    return outcome
  }

  #addLog(lines: readonly string[]): void {
    try {
      this.#common.store.runs.addLog(this.id, lines)
    } catch (error) {
      this.#common.onFault(error)
    }
  }
}

/** Milliseconds in seconds, to the millisecond. */
function inSeconds(ms: number): number {
  return Math.round(ms) / 1000
}
