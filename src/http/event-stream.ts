import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { RunEvent, Watch } from '../../graph/run/events.ts'
import type { Cost } from '../../graph/run/price.ts'
import { truncate } from '../../graph/truncate.ts'
import type { PieceScrub, Scrub } from '../scrub.ts'
import type { RunResponse } from '../wire/contract.ts'
import { encodeReply } from '../wire/encode-reply.ts'
import { HEARTBEAT_SEC, type StreamEvent } from '../wire/run-events.ts'

/** If this many bytes of events wait for a caller, it reads too slowly. */
const MAX_WAITING_BYTES = 128 * 1024

/** Longest tool arguments or result in an event, in characters. */
const MAX_TEXT_LENGTH = 2_000

/** Longest JSON of a custom event, in characters. */
const MAX_CUSTOM_LENGTH = 8_192

/** Whether the caller prefers the run's events to a single JSON reply. */
export function wantsStream(c: Context): boolean {
  const supports = ['application/json', 'text/event-stream']
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/event-stream'
}

/** A run in progress, and the reply it will end with. */
export interface Begun {
  readonly response: Promise<RunResponse>
}

/**
 * Replies with the events of a run as server-sent events; the last, `run_finished`, holds the reply.
 *
 * @param arrivedAt `performance.now()` when the request arrived
 * @param begin starts the run; if it throws, that becomes the reply and there is no stream
 */
export async function streamRun(
  c: Context,
  arrivedAt: number,
  taskId: string,
  scrub: Scrub,
  begin: (watch: Watch) => Promise<Begun>,
): Promise<Response> {
  const stream = new EventStream(arrivedAt)
  const translate = translator(taskId, scrub)
  let cost: Cost | undefined
  const { response } = await begin(happened => {
    if (happened.type === 'run_ended') cost = happened.cost
    for (const event of translate(happened)) stream.send(event)
  })
  const heartbeat = setInterval(() => stream.beat(), HEARTBEAT_SEC * 1000)
  const stop = () => clearInterval(heartbeat)
  response
    .then(
      reply => stream.finish(reply, cost),
      error => stream.fail(error),
    )
    .finally(stop)
  return c.body(stream.readable, 200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    // Otherwise proxies such as nginx buffer the events until the run ends.
    'X-Accel-Buffering': 'no',
  })
}

type Untimed<Event> = Event extends { type: infer Type; data: infer Data }
  ? { type: Type; data: Omit<Data, 'v' | 'at'> }
  : never

/** What a run may emit in any number. A caller who reads too slowly does without. */
const DISPENSABLE: readonly string[] = ['text', 'custom', 'node_started', 'node_finished']

/** Events as bytes. Drops what is sent after the caller has hung up. */
class EventStream {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly #arrivedAt: number
  readonly #encoder = new TextEncoder()
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined
  #count = 0

  constructor(arrivedAt: number) {
    this.#arrivedAt = arrivedAt
    this.readable = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: controller => {
          this.#controller = controller
        },
        cancel: () => {
          this.#controller = undefined
        },
      },
      { highWaterMark: MAX_WAITING_BYTES, size: ({ byteLength }) => byteLength },
    )
  }

  send({ type, data }: Untimed<StreamEvent>): void {
    const start = this.#startOf(type)
    if (this.#isBehind && DISPENSABLE.includes(type)) return
    this.#write(`${start}${JSON.stringify(data).slice(1)}\n\n`)
  }

  /** Sends a comment, so that proxies do not consider the connection dead. */
  beat(): void {
    if (!this.#isBehind) this.#write(': heartbeat\n\n')
  }

  finish(response: RunResponse, cost: Cost | undefined): void {
    const spent = cost ? `${JSON.stringify(costOnTheWire(cost)).slice(1, -1)},` : ''
    this.#write(`${this.#startOf('run_finished')}${spent}"response":`)
    this.#controller?.enqueue(encodeReply(response))
    this.#write('}\n\n')
    this.#controller?.close()
    this.#controller = undefined
  }

  fail(error: unknown): void {
    this.#controller?.error(error)
    this.#controller = undefined
  }

  get #isBehind(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0
  }

  /** An event up to its own members. Events that are left out count too, so that callers can notice the gap. */
  #startOf(type: StreamEvent['type']): string {
    this.#count += 1
    const at = Math.round(performance.now() - this.#arrivedAt) / 1000
    return `event: ${type}\nid: ${this.#count}\ndata: {"v":1,"at":${at},`
  }

  #write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text))
  }
}

/** Turns the graph's events into wire events, scrubbed of secrets. */
export function translator(task_id: string, scrub: Scrub) {
  const open = new Map<number, PieceScrub>()

  /** Text of a step that was held back because it might have started a secret. */
  function* rest(step: number): Generator<Untimed<StreamEvent>> {
    const kept = open.get(step)?.flush()
    if (kept) yield { type: 'text', data: { step, text: kept } }
    open.delete(step)
  }

  return function* (event: RunEvent): Generator<Untimed<StreamEvent>> {
    if (event.type === 'model_learnt' || event.type === 'run_ended') return
    if (event.type === 'text') {
      const { step } = event
      const pieces = open.get(step) ?? scrub.inPieces()
      open.set(step, pieces)
      const shown = pieces.push(event.text)
      if (shown) yield { type: 'text', data: { step, text: shown } }
      return
    }
    if (event.type === 'model_finished' || event.type === 'model_failed') yield* rest(event.step)
    yield onTheWire(event, task_id, scrub)
  }
}

const LIMIT_NAMES = {
  answerByMs: 'answer_by_sec',
  timeoutMs: 'timeout_sec',
  maxSteps: 'max_steps',
  maxOutputTokens: 'max_output_tokens',
  maxTotalTokens: 'max_total_tokens',
  maxCostUsd: 'max_cost_usd',
} as const

function onTheWire(
  event: Exclude<RunEvent, { type: 'text' | 'model_learnt' | 'run_ended' }>,
  task_id: string,
  scrub: Scrub,
): Untimed<StreamEvent> {
  switch (event.type) {
    case 'run_started': {
      const { answerByMs, timeoutMs, maxSteps, maxOutputTokens, maxTotalTokens, maxCostUsd } = event.limits
      const limits = {
        answer_by_sec: answerByMs / 1000,
        timeout_sec: timeoutMs / 1000,
        max_steps: maxSteps,
        max_output_tokens: maxOutputTokens ?? null,
        max_total_tokens: maxTotalTokens ?? null,
        max_cost_usd: maxCostUsd ?? null,
      }
      return { type: 'run_started', data: { task_id, tools: [...event.tools], limits } }
    }
    case 'node_started': {
      const { type, node, superstep } = event
      return { type, data: { node, superstep } }
    }
    case 'node_finished': {
      const { type, node, superstep, error } = event
      return { type, data: { node, superstep, failed: error !== undefined } }
    }
    case 'model_started': {
      const { type, step, model, attempt } = event
      return { type, data: { step, model, attempt } }
    }
    case 'model_finished': {
      const { type, step, model, inputTokens, outputTokens, cachedTokens = 0, cost, reply } = event
      const tool_calls = reply?.toolCalls.map(scrub) ?? []
      return {
        type,
        data: {
          step,
          model,
          input_tokens: inputTokens,
          output_tokens: outputTokens,
          cached_tokens: cachedTokens,
          ...costOnTheWire(cost),
          tool_calls,
          cut: reply?.cut ?? false,
        },
      }
    }
    case 'model_failed': {
      const { type, step, model, attempt, cost } = event
      return { type, data: { step, model, attempt, ...costOnTheWire(cost) } }
    }
    case 'model_given_up': {
      const { type, model, trouble, next = null } = event
      return { type, data: { model, reason: trouble, next } }
    }
    case 'tool_started': {
      const { type, step, tool, callId, args } = event
      return {
        type,
        data: { step, tool, call_id: scrub(callId), arguments: truncate(scrub(args), MAX_TEXT_LENGTH) },
      }
    }
    case 'tool_finished': {
      const { type, step, tool, callId, error, result, sources } = event
      const failed = error !== undefined
      const shown = sources?.map(({ number, title, url }) => ({
        number,
        title: scrub(title),
        url: scrub(url),
      }))
      return {
        type,
        data: {
          step,
          tool,
          call_id: scrub(callId),
          failed,
          result: truncate(scrub(result), MAX_TEXT_LENGTH),
          ...(shown && { sources: shown }),
        },
      }
    }
    case 'custom':
      return { type: 'custom', data: { data: customData(event.data, scrub) } }
    case 'limit_near': {
      const { type, limit, used, of } = event
      const unit = limit.endsWith('Ms') ? 1000 : 1
      return { type, data: { limit: LIMIT_NAMES[limit], used: used / unit, of: of / unit } }
    }
  }
}

export function costOnTheWire(
  { usd, isEstimate }: Pick<Cost, 'usd' | 'isEstimate'> = { usd: undefined, isEstimate: false },
) {
  return { cost_usd: usd ?? null, ...(isEstimate && { cost_estimated: true }) }
}

/** A node's data, scrubbed. If it is not JSON, or too long, the reason for leaving it out. */
function customData(data: unknown, scrub: Scrub): unknown {
  try {
    const text = scrub(JSON.stringify(data) ?? 'null')
    return text.length <= MAX_CUSTOM_LENGTH ? JSON.parse(text) : { omitted: 'over 8 kB of JSON' }
  } catch {
    return { omitted: 'no JSON' }
  }
}
