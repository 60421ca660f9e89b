import { causesOf, type RunEventOf, RunFailure, type RunObserver } from '@agent-task-service/engine/observe'
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Content } from './content.ts'
import type { Instruments, Operation } from './instruments.ts'

/** What the spans of all runs share. */
export interface RunSpanOptions {
  readonly tracer: Tracer
  readonly instruments: Instruments
  readonly agent: { readonly id: string; readonly name: string }
  /** Name and address of the model's provider. */
  readonly provider: Attributes
  /** Address of each model of the list. */
  readonly endpoints: ReadonlyMap<string, Attributes>
  /** The sampling temperature, if set. */
  readonly temperature: number | undefined
  /** Absent: spans do not record the conversation. */
  readonly content: Content | undefined
  /** Shortens an external name and masks secrets in it. */
  readonly label: (text: string) => string
}

/** Converts `performance.now()` to milliseconds since 1970. All spans of a request must use the same one to line up. */
export type ToEpoch = (moment: number) => number

/** A span in progress, with what its metrics need when it ends. */
interface OpenSpan {
  readonly span: Span
  readonly startedAt: number
  readonly attributes: Attributes
}

/** Of a call that an earlier run of the task had made: it is in no metric again. */
const REPLAYED: Attributes = { 'agent.call.replayed': true }

/**
 * The span of a run, around those of its nodes, model calls and tool calls; built from the run's events.
 *
 * @param parent the parent's context
 * @param startedAt `performance.now()` when the request arrived
 */
export function runSpan(
  options: RunSpanOptions,
  parent: Context,
  startedAt: number,
  toEpoch: ToEpoch,
): RunObserver {
  const { tracer, instruments, agent, provider: configured, endpoints, temperature, label } = options
  const content = options.content?.forRun()
  const ofRun: Attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'agent.id': agent.id,
    'gen_ai.agent.name': agent.name,
  }
  const spanOptions = { startTime: toEpoch(startedAt), attributes: ofRun }
  const run = tracer.startSpan(`invoke_agent ${agent.name}`, spanOptions, parent)
  const context = trace.setSpan(parent, run)
  const spanContext = run.spanContext()
  const open = new Map<string, OpenSpan>()

  /** A call may outlive the node around it, and is then the run's. */
  function begin(
    { key, outer = '', at }: RunEventOf<'node_started' | 'model_started' | 'tool_started'>,
    name: string,
    attributes: Attributes,
    kind = SpanKind.INTERNAL,
  ): Span {
    const around = open.get(outer)?.span
    const place = around ? trace.setSpan(context, around) : context
    const span = tracer.startSpan(name, { kind, startTime: toEpoch(at), attributes }, place)
    open.set(key, { span, startedAt: at, attributes })
    return span
  }

  /**
   * @param operation what is measured; absent: nothing
   * @returns what its measures are told by
   */
  function finish(
    { key, error, at }: { readonly key: string; readonly error?: unknown; readonly at: number },
    ended: Attributes,
    operation?: Operation,
  ): Attributes | undefined {
    const begun = open.get(key)
    if (!begun) return undefined
    open.delete(key)
    const failure = error === undefined ? undefined : label(errorType(error))
    const outcome = { ...ended, 'error.type': failure }
    end(begun.span, outcome, toEpoch(at))
    const attributes = { ...begun.attributes, ...outcome }
    if (operation) instruments.operation(operation, (at - begun.startedAt) / 1000, attributes)
    return attributes
  }

  function beginModelCall(event: RunEventOf<'model_started'>): void {
    const { provider, callCap, prompt } = event
    const { model } = event.data
    const isConfigured = provider === undefined || provider === configured['gen_ai.provider.name']
    const attributes: Attributes = {
      ...(isConfigured
        ? { ...configured, ...endpoints.get(model) }
        : { 'gen_ai.provider.name': label(provider) }),
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': model,
      'gen_ai.request.max_tokens': callCap,
      'gen_ai.request.temperature': isConfigured ? temperature : undefined,
    }
    const span = begin(event, `chat ${model}`, attributes, SpanKind.CLIENT)
    if (!content || !span.isRecording()) return
    const messages = prompt()
    const instructions = content.instructions(messages)
    if (instructions) span.setAttribute('gen_ai.system_instructions', instructions)
    span.setAttribute('gen_ai.input.messages', content.conversation(messages))
  }

  function ofReply({ id, model, finishReason }: RunEventOf<'model_finished'>['reply']): Attributes {
    return {
      'gen_ai.response.id': id && label(id),
      'gen_ai.response.model': model && label(model),
      'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [label(finishReason)],
    }
  }

  function endModelCall(event: RunEventOf<'model_finished' | 'model_failed'>): void {
    const reply = event.type === 'model_finished' ? event.reply : undefined
    const isReplayed = event.type === 'model_finished' && event.data.replayed === true
    const outcome: Attributes = {
      // The run that made the call has reported what it used.
      ...(isReplayed ? REPLAYED : usageOf(event)),
      ...(reply && ofReply(reply)),
    }
    if (content && reply && open.get(event.key)?.span.isRecording())
      outcome['gen_ai.output.messages'] = content.answer(reply.message())
    const attributes = finish(event, outcome, isReplayed ? undefined : 'chat')
    if (attributes && !isReplayed)
      instruments.tokens(event.tokens.inputTokens, event.tokens.outputTokens, attributes)
  }

  function beginToolCall(event: RunEventOf<'tool_started'>): void {
    const { tool, call_id, arguments: args } = event.data
    begin(event, `execute_tool ${tool}`.trim(), {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': label(call_id),
      ...(tool !== '' && { 'gen_ai.tool.name': tool }),
      'gen_ai.tool.call.arguments': content?.text(args),
    })
  }

  function endToolCall(event: RunEventOf<'tool_finished'>): void {
    const { data, error } = event
    const outcome: Attributes = {
      ...(data.replayed && REPLAYED),
      'gen_ai.tool.call.result': error === undefined ? content?.text(data.result) : undefined,
    }
    finish(event, outcome, data.replayed ? undefined : 'execute_tool')
  }

  return {
    ids: isSpanContextValid(spanContext)
      ? { trace_id: spanContext.traceId, span_id: spanContext.spanId }
      : undefined,
    record(event) {
      switch (event.type) {
        case 'node_started': {
          const { node, superstep } = event.data
          begin(event, `node ${node}`, { 'agent.node': node, 'agent.node.superstep': superstep })
          break
        }
        case 'node_finished':
          finish(event, {})
          break
        case 'model_started':
          beginModelCall(event)
          break
        case 'model_finished':
        case 'model_failed':
          endModelCall(event)
          break
        case 'tool_started':
          beginToolCall(event)
          break
        case 'tool_finished':
          endToolCall(event)
      }
    },
    finish({ status, stop, cut, usage, cost, durationMs, model }, taskId) {
      const outcome: Attributes = {
        'gen_ai.request.model': model,
        'gen_ai.usage.input_tokens': usage.inputTokens,
        'gen_ai.usage.output_tokens': usage.outputTokens,
        'agent.task.id': taskId,
        'agent.run.steps': usage.steps,
        'agent.run.status': status,
        'agent.run.stop': stop,
        'agent.run.cut': cut,
        'agent.run.cost_usd': cost.usd,
        ...(cost.isEstimate && { 'agent.run.cost_estimated': true }),
        'error.type': status === 'success' ? undefined : stop,
      }
      end(run, outcome, toEpoch(startedAt + durationMs))
      instruments.operation('invoke_agent', durationMs / 1000, { ...ofRun, ...outcome })
      instruments.run(status, stop, cut)
    },
  }
}

function usageOf({ tokens, data }: RunEventOf<'model_finished' | 'model_failed'>): Attributes {
  const { inputTokens, outputTokens, cachedTokens } = tokens
  return {
    ...(inputTokens > 0 && { 'gen_ai.usage.input_tokens': inputTokens }),
    ...(outputTokens > 0 && { 'gen_ai.usage.output_tokens': outputTokens }),
    ...(cachedTokens && { 'gen_ai.usage.cache_read.input_tokens': cachedTokens }),
    'agent.call.cost_usd': data.cost_usd ?? undefined,
  }
}

function end(span: Span, outcome: Attributes, endedAt: number): void {
  span.setAttributes(outcome)
  if (outcome['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(endedAt)
}

/** The value of `error.type`: why the run ended, an HTTP status, or the name of the error's class. */
function errorType(error: unknown): string {
  if (error instanceof RunFailure) return error.reason
  for (const link of causesOf(error)) {
    const { status, name } = link as Error & { status?: unknown }
    if (typeof status === 'number') return String(status)
    if (!['Error', 'ToolFault'].includes(name) && /^\w{1,60}$/.test(name)) return name
  }
  return '_OTHER'
}
