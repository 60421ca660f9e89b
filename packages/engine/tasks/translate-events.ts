import type { StreamEvent } from '@agent-task-service/contract/run-events'
import type { PieceScrub, Scrub } from '@agent-task-service/masking'
import type { RunEvent } from '../run/events.ts'
import type { Cost } from '../run/price.ts'
import { truncate } from '../truncate.ts'

/** Longest tool arguments or result in an event, in characters. */
const MAX_TEXT_LENGTH = 2_000

/** Longest JSON of a custom event, in characters. */
const MAX_CUSTOM_LENGTH = 8_192

/** An event without what differs between the callers of a run, and without the reply. */
export type SharedEvent = StreamEvent extends infer Event ? Shared<Event> : never
type Shared<Event> = Event extends { type: infer Type; data: infer Data }
  ? { readonly type: Type; readonly data: Omit<Data, 'v' | 'at' | 'task_id' | 'response'> }
  : never

/** Turns the graph's events into wire events, scrubbed of secrets. */
export function translator(scrub: Scrub) {
  const open = new Map<number, PieceScrub>()

  /** Text of a step that was held back because it might have started a secret. */
  function* rest(step: number): Generator<SharedEvent> {
    const kept = open.get(step)?.flush()
    if (kept) yield { type: 'text', data: { step, text: kept } }
    open.delete(step)
  }

  return function* (event: RunEvent): Generator<SharedEvent> {
    if (event.type === 'model_learnt') return
    if (event.type === 'text') {
      const { step } = event
      const pieces = open.get(step) ?? scrub.inPieces()
      open.set(step, pieces)
      const shown = pieces.push(event.text)
      if (shown) yield { type: 'text', data: { step, text: shown } }
      return
    }
    if (event.type === 'model_finished' || event.type === 'model_failed') yield* rest(event.step)
    yield onTheWire(event, scrub)
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

function onTheWire(event: Exclude<RunEvent, { type: 'text' | 'model_learnt' }>, scrub: Scrub): SharedEvent {
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
      return { type: 'run_started', data: { tools: [...event.tools], limits } }
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
    case 'run_ended':
      return { type: 'run_finished', data: costOnTheWire(event.cost) }
  }
}

function costOnTheWire(
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
