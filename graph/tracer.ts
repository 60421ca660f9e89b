import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { Serialized } from '@langchain/core/load/serializable'
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { LLMResult } from '@langchain/core/outputs'
import { RunFailure, type StopReason } from './failure.ts'
import type { CallMetadata, Meter } from './meter.ts'
import type { AskOptions } from './toolset.ts'
import type { ModelResponse, RunTrace, TracedMessage } from './trace.ts'

interface OpenModelCall {
  readonly finish: ReturnType<RunTrace['modelCall']>
  usage?: { readonly inputTokens: number; readonly outputTokens: number }
  end?: { readonly endedAt: number; readonly errorType?: string; readonly response?: ModelResponse }
}

/** Tells a trace of one run's calls, from LangChain's callbacks; their tokens are those that the run's meter counts. */
export class Tracer extends BaseCallbackHandler {
  override readonly name = 'tracer'
  // Otherwise the calls of all runs would wait for each other in one queue, and their times would be wrong.
  override readonly awaitHandlers = true
  override readonly ignoreChain = true
  override readonly ignoreRetriever = true
  readonly #trace: RunTrace
  readonly #signal: AbortSignal
  readonly #modelCalls = new Map<string, OpenModelCall>()
  readonly #toolCalls = new Map<string, ReturnType<RunTrace['toolCall']>>()

  /** @param signal ends the run; its reason says why */
  constructor(trace: RunTrace, meter: Meter, signal: AbortSignal) {
    super()
    this.#trace = trace
    this.#signal = signal
    meter.onCounted = (callId, inputTokens, outputTokens) => {
      const call = this.#modelCalls.get(callId)
      if (!call) return
      call.usage = { inputTokens, outputTokens }
      this.#finishModelCall(callId, call)
    }
  }

  override handleChatModelStart(
    _model: Serialized,
    messages: BaseMessage[][],
    callId: string,
    _parentId?: string,
    extra?: Record<string, unknown>,
    _tags?: string[],
    metadata?: Record<string, unknown>,
  ): void {
    const { model = '' } = (metadata ?? {}) as Partial<CallMetadata>
    const { maxTokens } = (extra?.options ?? {}) as AskOptions
    const finish = this.#trace.modelCall({
      startedAt: performance.now(),
      model,
      maxTokens,
      messages: () => (messages[0] ?? []).map(traced),
    })
    this.#modelCalls.set(callId, { finish })
  }

  override handleLLMEnd(result: LLMResult, callId: string): void {
    const generation = result.generations[0]?.[0] as { message?: AIMessage } | undefined
    const response = generation?.message && responseOf(generation.message)
    this.#endModelCall(callId, { endedAt: performance.now(), ...(response && { response }) })
  }

  override handleLLMError(error: unknown, callId: string): void {
    this.#endModelCall(callId, { endedAt: performance.now(), errorType: this.#errorType(error) })
  }

  override handleToolStart(
    _tool: Serialized,
    args: string,
    callId: string,
    _parentId?: string,
    _tags?: string[],
    _metadata?: Record<string, unknown>,
    tool?: string,
    toolCallId = '',
  ): void {
    const start = { startedAt: performance.now(), tool, callId: toolCallId, args }
    this.#toolCalls.set(callId, this.#trace.toolCall(start))
  }

  override handleToolEnd(result: string, callId: string): void {
    this.#toolCalls.get(callId)?.({ endedAt: performance.now(), result })
    this.#toolCalls.delete(callId)
  }

  override handleToolError(error: unknown, callId: string): void {
    this.#toolCalls.get(callId)?.({ endedAt: performance.now(), errorType: this.#errorType(error) })
    this.#toolCalls.delete(callId)
  }

  /** Ends what is still open when the run is over; what comes of it later is not told. */
  close(stop: StopReason): void {
    const end = { endedAt: performance.now(), errorType: stop }
    for (const finish of this.#toolCalls.values()) finish(end)
    this.#toolCalls.clear()
    for (const [callId, call] of this.#modelCalls) {
      call.usage ??= { inputTokens: 0, outputTokens: 0 }
      call.end ??= end
      this.#finishModelCall(callId, call)
    }
  }

  #endModelCall(callId: string, end: NonNullable<OpenModelCall['end']>): void {
    const call = this.#modelCalls.get(callId)
    if (!call) return
    call.end = end
    this.#finishModelCall(callId, call)
  }

  /** A call is over when it has ended and its tokens are counted, in whichever order. */
  #finishModelCall(callId: string, { finish, end, usage }: OpenModelCall): void {
    if (!end || !usage) return
    this.#modelCalls.delete(callId)
    finish({ ...end, ...usage })
  }

  #errorType(error: unknown): string {
    const { reason } = this.#signal
    if (reason instanceof RunFailure) return reason.reason
    for (let link = error; link instanceof Error; link = link.cause) {
      const { status, name } = link as Error & { status?: unknown }
      if (typeof status === 'number') return String(status)
      if (name !== 'Error' && /^\w{1,60}$/.test(name)) return name
    }
    return '_OTHER'
  }
}

function responseOf(message: AIMessage): ModelResponse {
  const { id, model_name: model, finish_reason: finishReason } = message.response_metadata
  return {
    // LangChain gives an id of its own to a message that came without.
    id: textOr(id) ?? (message.id?.startsWith('run-') ? undefined : textOr(message.id)),
    model: textOr(model),
    finishReason: textOr(finishReason),
    message: () => traced(message),
  }
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

const ROLES: Record<string, TracedMessage['role']> = { system: 'system', ai: 'assistant', tool: 'tool' }

function traced(message: BaseMessage): TracedMessage {
  const { tool_calls: calls = [] } = message as AIMessage
  const { tool_call_id: toolCallId } = message as ToolMessage
  return {
    role: ROLES[message.type] ?? 'user',
    text: message.text,
    toolCalls: calls.map(({ id = '', name, args }) => ({ id, name, args })),
    ...(toolCallId !== undefined && { toolCallId }),
  }
}
