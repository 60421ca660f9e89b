import {
  causesOf,
  type Outcome,
  type RunEvent,
  type RunEventOf,
  RunFailure,
  type RunObserver,
} from '@agent-task-service/engine/observe'
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

/** The span of a run, around those of its nodes, model calls and tool calls; built from the run's events. */
export class RunSpan implements RunObserver {
  readonly #options: RunSpanOptions
  readonly #span: Span
  readonly #context: Context
  readonly #attributes: Attributes
  readonly #startedAt: number
  readonly #toEpoch: ToEpoch
  readonly #open = new Map<string, OpenSpan>()

  /**
   * @param parent the parent's context
   * @param startedAt `performance.now()` when the request arrived
   */
  constructor(options: RunSpanOptions, parent: Context, startedAt: number, toEpoch: ToEpoch) {
    const { tracer, agent, content } = options
    this.#options = { ...options, content: content?.forRun() }
    this.#startedAt = startedAt
    this.#toEpoch = toEpoch
    this.#attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'agent.id': agent.id,
      'gen_ai.agent.name': agent.name,
    }
    const spanOptions = { startTime: toEpoch(startedAt), attributes: this.#attributes }
    this.#span = tracer.startSpan(`invoke_agent ${agent.name}`, spanOptions, parent)
    this.#context = trace.setSpan(parent, this.#span)
  }

  get ids(): { readonly trace_id: string; readonly span_id: string } | undefined {
    const context = this.#span.spanContext()
    return isSpanContextValid(context) ? { trace_id: context.traceId, span_id: context.spanId } : undefined
  }

  record(event: RunEvent): void {
    switch (event.type) {
      case 'node_started': {
        const { node, superstep } = event.data
        this.#begin(event, `node ${node}`, { 'agent.node': node, 'agent.node.superstep': superstep })
        break
      }
      case 'node_finished':
        this.#end(event, {})
        break
      case 'model_started':
        this.#beginModelCall(event)
        break
      case 'model_finished':
      case 'model_failed':
        this.#endModelCall(event)
        break
      case 'tool_started':
        this.#beginToolCall(event)
        break
      case 'tool_finished':
        this.#endToolCall(event)
    }
  }

  #beginModelCall(event: RunEventOf<'model_started'>): void {
    const { provider, callCap, prompt } = event
    const { model } = event.data
    const { provider: configured, endpoints, temperature, content, label } = this.#options
    const isConfigured = provider === undefined || provider === configured['gen_ai.provider.name']
    const attributes: Attributes = {
      ...(isConfigured
        ? { ...configured, ...endpoints.get(model) }
        : { 'gen_ai.provider.name': label(provider) }),
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': model,
      ...(callCap !== undefined && { 'gen_ai.request.max_tokens': callCap }),
      ...(isConfigured && temperature !== undefined && { 'gen_ai.request.temperature': temperature }),
    }
    const span = this.#begin(event, `chat ${model}`, attributes, SpanKind.CLIENT)
    if (!content || !span.isRecording()) return
    const messages = prompt()
    const instructions = content.instructions(messages)
    if (instructions) span.setAttribute('gen_ai.system_instructions', instructions)
    span.setAttribute('gen_ai.input.messages', content.conversation(messages))
  }

  #endModelCall(event: RunEventOf<'model_finished' | 'model_failed'>): void {
    const reply = event.type === 'model_finished' ? event.reply : undefined
    const { instruments, content, label } = this.#options
    const { id, model: answered, finishReason } = reply ?? {}
    const isReplayed = event.type === 'model_finished' && event.data.replayed === true
    const outcome: Attributes = {
      // The run that made the call has reported what it used.
      ...(isReplayed ? REPLAYED : usageOf(event)),
      ...(id !== undefined && { 'gen_ai.response.id': label(id) }),
      ...(answered !== undefined && { 'gen_ai.response.model': label(answered) }),
      ...(finishReason !== undefined && { 'gen_ai.response.finish_reasons': [label(finishReason)] }),
    }
    if (content && reply && this.#open.get(event.key)?.span.isRecording())
      outcome['gen_ai.output.messages'] = content.answer(reply.message())
    const attributes = this.#end(event, outcome, isReplayed ? undefined : 'chat')
    if (attributes && !isReplayed)
      instruments.tokens(event.tokens.inputTokens, event.tokens.outputTokens, attributes)
  }

  #beginToolCall(event: RunEventOf<'tool_started'>): void {
    const { tool, call_id, arguments: args } = event.data
    const { content, label } = this.#options
    this.#begin(event, `execute_tool ${tool}`.trim(), {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': label(call_id),
      ...(tool !== '' && { 'gen_ai.tool.name': tool }),
      ...(content && { 'gen_ai.tool.call.arguments': content.text(args) }),
    })
  }

  #endToolCall(event: RunEventOf<'tool_finished'>): void {
    const { data, error } = event
    const { content } = this.#options
    const outcome: Attributes = {
      ...(data.replayed && REPLAYED),
      ...(content && error === undefined && { 'gen_ai.tool.call.result': content.text(data.result) }),
    }
    this.#end(event, outcome, data.replayed ? undefined : 'execute_tool')
  }

  /** A call may outlive the node around it, and is then the run's. */
  #begin(
    { key, outer = '', at: startedAt }: RunEventOf<'node_started' | 'model_started' | 'tool_started'>,
    name: string,
    attributes: Attributes,
    kind = SpanKind.INTERNAL,
  ): Span {
    const spanOptions = { kind, startTime: this.#toEpoch(startedAt), attributes }
    const parent = this.#open.get(outer)?.span
    const context = parent ? trace.setSpan(this.#context, parent) : this.#context
    const span = this.#options.tracer.startSpan(name, spanOptions, context)
    this.#open.set(key, { span, startedAt, attributes })
    return span
  }

  /**
   * @param operation what is measured; absent: nothing
   * @returns what its measures are told by
   */
  #end(
    { key, error, at: endedAt }: { readonly key: string; readonly error?: unknown; readonly at: number },
    ended: Attributes,
    operation?: Operation,
  ): Attributes | undefined {
    const open = this.#open.get(key)
    if (!open) return undefined
    this.#open.delete(key)
    const { instruments, label } = this.#options
    const outcome = { ...ended, ...(error !== undefined && { 'error.type': label(errorType(error)) }) }
    end(open.span, outcome, this.#toEpoch(endedAt))
    const attributes = { ...open.attributes, ...outcome }
    if (operation) instruments.operation(operation, (endedAt - open.startedAt) / 1000, attributes)
    return attributes
  }

  finish({ status, stop, cut, usage, cost, durationMs, model }: Outcome, taskId: string): void {
    const { instruments } = this.#options
    const outcome: Attributes = {
      ...(model !== undefined && { 'gen_ai.request.model': model }),
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'agent.task.id': taskId,
      'agent.run.steps': usage.steps,
      'agent.run.status': status,
      'agent.run.stop': stop,
      'agent.run.cut': cut,
      ...(cost.usd !== undefined && { 'agent.run.cost_usd': cost.usd }),
      ...(cost.isEstimate && { 'agent.run.cost_estimated': true }),
      ...(status !== 'success' && { 'error.type': stop }),
    }
    end(this.#span, outcome, this.#toEpoch(this.#startedAt + durationMs))
    instruments.operation('invoke_agent', durationMs / 1000, { ...this.#attributes, ...outcome })
    instruments.run(status, stop, cut)
  }
}

function usageOf({ tokens, data }: RunEventOf<'model_finished' | 'model_failed'>): Attributes {
  const { inputTokens, outputTokens, cachedTokens } = tokens
  return {
    ...(inputTokens > 0 && { 'gen_ai.usage.input_tokens': inputTokens }),
    ...(outputTokens > 0 && { 'gen_ai.usage.output_tokens': outputTokens }),
    ...(cachedTokens && { 'gen_ai.usage.cache_read.input_tokens': cachedTokens }),
    ...(data.cost_usd !== null && { 'agent.call.cost_usd': data.cost_usd }),
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
