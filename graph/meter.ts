import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { Serialized } from '@langchain/core/load/serializable'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import type { LLMResult } from '@langchain/core/outputs'
import { ToolError } from '../tools/tool.ts'
import type { Spent } from './budget.ts'
import { ModelReplyError } from './model-error.ts'
import { countMessages, countTokens, estimateTokens, textOf } from './tokens.ts'
import { ToolTimeout } from './tool-run.ts'

/** Usage of one run. Tokens as the provider reports them, else counted in o200k_base. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Model calls and tool calls; a retried model call is one step, however often it was tried. */
  readonly steps: number
}

/** What `graph/model-call.ts` tells the meter of a call, in the metadata that callbacks receive. */
export interface CallMetadata {
  /** Name of the model that is asked. */
  readonly model: string
  /** 1 for the first try of a call. */
  readonly attempt: number
}

/** A tool call that failed as its author did not foresee. */
export interface ToolFault {
  readonly tool: string
  readonly error: unknown
}

interface OpenCall {
  readonly messages: readonly BaseMessage[]
  text: string
}

/**
 * Counts what one run uses, from LangChain's callbacks. One meter a run, attached once: to its
 * model calls and tool calls, by `handlers` of the account.
 * A call that is still open, or that failed after it was answered in part, is counted from its text.
 */
export class Meter extends BaseCallbackHandler implements Spent {
  override readonly name = 'meter'
  // The counts must be in before the graph's next node reads its budget.
  override readonly awaitHandlers = true
  // Nodes and retrievers cost nothing that is counted.
  override readonly ignoreChain = true
  override readonly ignoreRetriever = true
  inputTokens = 0
  outputTokens = 0
  steps = 0
  lastCall = { inputTokens: 0, outputTokens: 0 }
  /** Name of the model that answered last, or was asked last. */
  model: string | undefined
  readonly toolsUsed = new Set<string>()
  readonly toolFaults: ToolFault[] = []
  /** Told of each model call's tokens as soon as they are counted: none, where it was not served. */
  onCounted: ((callId: string, inputTokens: number, outputTokens: number) => void) | undefined
  readonly #open = new Map<string, OpenCall>()
  readonly #toolCalls = new Map<string, string>()

  override handleChatModelStart(
    _model: Serialized,
    messages: BaseMessage[][],
    callId: string,
    _parentId?: string,
    _extra?: Record<string, unknown>,
    _tags?: string[],
    metadata?: Record<string, unknown>,
  ): void {
    const { model, attempt } = (metadata ?? {}) as Partial<CallMetadata>
    if (attempt === undefined || attempt === 1) this.steps += 1
    this.model = model ?? this.model
    this.#open.set(callId, { messages: messages[0] ?? [], text: '' })
  }

  override handleLLMNewToken(token: string, _index: unknown, callId: string): void {
    const call = this.#open.get(callId)
    if (call) call.text += token
  }

  override async handleLLMEnd(result: LLMResult, callId: string): Promise<void> {
    const call = this.#open.get(callId)
    const generation = result.generations[0]?.[0] as { message?: AIMessage } | undefined
    const reported = generation?.message?.usage_metadata
    const inputTokens = isCount(reported?.input_tokens)
      ? reported.input_tokens
      : await countMessages(call?.messages ?? [])
    const outputTokens = isCount(reported?.output_tokens)
      ? reported.output_tokens
      : await countMessages(generation?.message ? [generation.message] : [])
    this.#add(callId, inputTokens, outputTokens)
  }

  override async handleLLMError(error: unknown, callId: string): Promise<void> {
    const call = this.#open.get(callId)
    // A call that failed before its first word was not served, so nothing was used, unless the provider says so.
    if (call?.text) this.#add(callId, await countMessages(call.messages), await countTokens(call.text))
    else if (error instanceof ModelReplyError && error.usage) {
      const { prompt_tokens: input, completion_tokens: output } = error.usage
      this.#add(callId, isCount(input) ? input : 0, isCount(output) ? output : 0)
    }
    if (this.#open.delete(callId)) this.onCounted?.(callId, 0, 0)
  }

  override handleToolStart(
    _tool: Serialized,
    _input: string,
    callId: string,
    _parentId?: string,
    _tags?: string[],
    _metadata?: Record<string, unknown>,
    name?: string,
  ): void {
    this.steps += 1
    if (!name) return
    this.toolsUsed.add(name)
    this.#toolCalls.set(callId, name)
  }

  override handleToolError(error: unknown, callId: string): void {
    const tool = this.#toolCalls.get(callId)
    const isForeseen = error instanceof ToolError && !(error instanceof ToolTimeout)
    if (tool !== undefined && !isForeseen) this.toolFaults.push({ tool, error })
  }

  /** Text that arrived in calls that have not ended. */
  get openText(): string {
    return [...this.#open.values()].map(call => call.text).join('')
  }

  /** Usage of the calls that have ended. */
  get usage(): Usage {
    const { inputTokens, outputTokens, steps } = this
    return { inputTokens, outputTokens, steps }
  }

  /** Usage so far. Ends the calls still open, and counts them: what they read was read, whether or not an answer comes. */
  async settle(): Promise<Usage> {
    const { steps } = this
    let { inputTokens, outputTokens } = this
    for (const [callId, call] of [...this.#open]) {
      // What comes of it while it is estimated comes too late.
      this.#open.delete(callId)
      const read = await estimateTokens(call.messages.map(textOf))
      const generated = await estimateTokens([call.text])
      inputTokens += read
      outputTokens += generated
      this.onCounted?.(callId, read, generated)
    }
    return { inputTokens, outputTokens, steps }
  }

  #add(callId: string, inputTokens: number, outputTokens: number): void {
    // The call may have been dropped while its tokens were counted.
    if (!this.#open.delete(callId)) return
    this.inputTokens += inputTokens
    this.outputTokens += outputTokens
    this.lastCall = { inputTokens, outputTokens }
    this.onCounted?.(callId, inputTokens, outputTokens)
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
