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
import type { Outcome } from '../../graph/run.ts'
import type { ModelCallEnd, ModelCallStart, RunTrace, ToolCallEnd, ToolCallStart } from '../../graph/trace.ts'
import type { Content } from './content.ts'
import type { Instruments } from './instruments.ts'
import { AGENT_RUN, ERROR_TYPE, GEN_AI } from './semconv.ts'

/** What the spans of all runs are made with. */
export interface RunSpanParts {
  readonly tracer: Tracer
  readonly instruments: Instruments
  readonly agent: { readonly id: string; readonly name: string }
  /** Of the model's provider: its name, and where it is. */
  readonly provider: Attributes
  /** The sampling temperature, where it is set. */
  readonly temperature: number | undefined
  /** Absent: what was said stays out of the spans. */
  readonly content: Content | undefined
  /** A foreign name as it may be told: short, and without secrets. */
  readonly label: (text: string) => string
}

/** Turns `performance.now()` into milliseconds since 1970: the same for all spans of a request, or they would not fit together. */
export type ToEpoch = (moment: number) => number

/** The span of a run, over those of its model calls and tool calls. */
export class RunSpan implements RunTrace {
  readonly #parts: RunSpanParts
  readonly #span: Span
  readonly #context: Context
  readonly #attributes: Attributes
  readonly #startedAt: number
  readonly #toEpoch: ToEpoch

  /**
   * @param parent the context to begin under
   * @param startedAt `performance.now()` at the arrival of its request
   */
  constructor(parts: RunSpanParts, parent: Context, startedAt: number, toEpoch: ToEpoch) {
    const { tracer, agent, provider } = parts
    this.#parts = parts
    this.#startedAt = startedAt
    this.#toEpoch = toEpoch
    this.#attributes = {
      ...provider,
      [GEN_AI.operationName]: 'invoke_agent',
      [GEN_AI.agentId]: agent.id,
      [GEN_AI.agentName]: agent.name,
    }
    const options = { kind: SpanKind.INTERNAL, startTime: toEpoch(startedAt), attributes: this.#attributes }
    this.#span = tracer.startSpan(`invoke_agent ${agent.name}`, options, parent)
    this.#context = trace.setSpan(parent, this.#span)
  }

  /** For the log line of the run. */
  get ids(): { readonly trace_id: string; readonly span_id: string } | undefined {
    const context = this.#span.spanContext()
    return isSpanContextValid(context) ? { trace_id: context.traceId, span_id: context.spanId } : undefined
  }

  modelCall({ startedAt, model, maxTokens, messages }: ModelCallStart): (end: ModelCallEnd) => void {
    const { tracer, instruments, provider, temperature, content, label } = this.#parts
    const attributes: Attributes = {
      ...provider,
      [GEN_AI.operationName]: 'chat',
      [GEN_AI.requestModel]: model,
      ...(maxTokens !== undefined && { [GEN_AI.requestMaxTokens]: maxTokens }),
      ...(temperature !== undefined && { [GEN_AI.requestTemperature]: temperature }),
    }
    const options = { kind: SpanKind.CLIENT, startTime: this.#toEpoch(startedAt), attributes }
    const span = tracer.startSpan(`chat ${model}`, options, this.#context)
    if (content && span.isRecording()) {
      const said = messages()
      const instructions = content.instructions(said)
      if (instructions) span.setAttribute(GEN_AI.systemInstructions, instructions)
      span.setAttribute(GEN_AI.inputMessages, content.conversation(said))
    }
    return ({ endedAt, errorType, inputTokens, outputTokens, response }) => {
      const { id, model: answered, finishReason } = response ?? {}
      const outcome: Attributes = {
        ...(id !== undefined && { [GEN_AI.responseId]: label(id) }),
        ...(answered !== undefined && { [GEN_AI.responseModel]: label(answered) }),
        ...(finishReason !== undefined && { [GEN_AI.responseFinishReasons]: [label(finishReason)] }),
        ...(inputTokens > 0 && { [GEN_AI.usageInputTokens]: inputTokens }),
        ...(outputTokens > 0 && { [GEN_AI.usageOutputTokens]: outputTokens }),
        ...(errorType !== undefined && { [ERROR_TYPE]: label(errorType) }),
      }
      if (content && response && span.isRecording()) {
        outcome[GEN_AI.outputMessages] = content.answer(
          response.message(),
          finishReason && label(finishReason),
        )
      }
      end(span, outcome, this.#toEpoch(endedAt))
      instruments.operation((endedAt - startedAt) / 1000, { ...attributes, ...outcome })
      instruments.tokens(inputTokens, outputTokens, { ...attributes, ...outcome })
    }
  }

  toolCall({ startedAt, tool, callId, args }: ToolCallStart): (end: ToolCallEnd) => void {
    const { tracer, instruments, provider, content, label } = this.#parts
    const attributes: Attributes = {
      [GEN_AI.operationName]: 'execute_tool',
      [GEN_AI.toolType]: 'function',
      [GEN_AI.toolCallId]: label(callId),
      ...(tool !== undefined && { [GEN_AI.toolName]: tool }),
      ...(content && { [GEN_AI.toolCallArguments]: content.text(args) }),
    }
    const options = { kind: SpanKind.INTERNAL, startTime: this.#toEpoch(startedAt), attributes }
    const span = tracer.startSpan(
      tool === undefined ? 'execute_tool' : `execute_tool ${tool}`,
      options,
      this.#context,
    )
    return ({ endedAt, errorType, result }) => {
      const outcome: Attributes = {
        ...(content && result !== undefined && { [GEN_AI.toolCallResult]: content.text(result) }),
        ...(errorType !== undefined && { [ERROR_TYPE]: label(errorType) }),
      }
      end(span, outcome, this.#toEpoch(endedAt))
      instruments.operation((endedAt - startedAt) / 1000, { ...provider, ...attributes, ...outcome })
    }
  }

  /**
   * Ends the run's span, with what the reply's metrics say.
   *
   * @param taskId as the log has it
   */
  finish({ status, stop, usage, durationMs, model }: Outcome, taskId: string): void {
    const { instruments } = this.#parts
    const outcome: Attributes = {
      ...(model !== undefined && { [GEN_AI.requestModel]: model }),
      [GEN_AI.usageInputTokens]: usage.inputTokens,
      [GEN_AI.usageOutputTokens]: usage.outputTokens,
      [AGENT_RUN.taskId]: taskId,
      [AGENT_RUN.steps]: usage.steps,
      [AGENT_RUN.status]: status,
      [AGENT_RUN.stop]: stop,
      ...(status !== 'success' && { [ERROR_TYPE]: stop }),
    }
    end(this.#span, outcome, this.#toEpoch(this.#startedAt + durationMs))
    instruments.operation(durationMs / 1000, { ...this.#attributes, ...outcome })
    instruments.run(status, stop)
  }
}

function end(span: Span, outcome: Attributes, endedAt: number): void {
  span.setAttributes(outcome)
  if (outcome[ERROR_TYPE] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(endedAt)
}
