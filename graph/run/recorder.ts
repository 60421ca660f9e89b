import { BaseCallbackHandler, type HandleLLMNewTokenCallbackFields } from '@langchain/core/callbacks/base'
import type { Serialized } from '@langchain/core/load/serializable'
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  type ToolMessage,
} from '@langchain/core/messages'
import type { ChatGenerationChunk, Generation, GenerationChunk, LLMResult } from '@langchain/core/outputs'
import { type Source, ToolError } from '../../tools/tool.ts'
import { type Budget, describeLimit, type LimitReason } from './budget.ts'
import type { EndOfRun } from './deadline-and-hang-up.ts'
import type { Reply, RunEvent, Watch } from './events.ts'
import { RunFailure } from './failure.ts'
import type { Meter } from './meter.ts'
import { replyOf, said } from './said.ts'
import { countMessages, countTokens, estimateTokens, textOf } from './tokens.ts'

/** What `ModelWithFallbacks` says of a call in its metadata; other models say nothing. */
export interface CallMetadata {
  /** Name of the model in the list of models. */
  readonly model: string
  /** 1 for the first try of a call. */
  readonly attempt: number
  /** The same for all tries of one call. */
  readonly call: number
  /** Cap on the tokens of this call; absent: none. */
  readonly max_tokens?: number | undefined
}

interface OpenModelCall {
  readonly step: number
  readonly model: string
  readonly attempt: number
  readonly messages: readonly BaseMessage[]
  /** Called when the model makes progress. */
  readonly advance: (() => void) | undefined
  text: string
}

interface OpenToolCall {
  readonly step: number
  readonly tool: string
  readonly callId: string
}

type Timeless<Event> = Event extends unknown ? Omit<Event, 'at'> : never

/**
 * Records one run from LangChain's callbacks: one handler on the graph's invocation, so whatever model or tool a node
 * calls is seen. It also keeps the budget: a call that would exceed it ends the run and never begins.
 */
export class Recorder extends BaseCallbackHandler {
  override readonly name = 'recorder'
  // The budget must be settled before the call begins, and the counts before the next node reads them.
  override readonly awaitHandlers = true
  override readonly ignoreChain = true
  override readonly ignoreRetriever = true
  /** Read by LangChain: `invoke` streams, so that a run that is cut off has the text so far. */
  readonly lc_prefer_streaming = true
  readonly #meter: Meter
  readonly #budget: Budget
  readonly #end: EndOfRun
  readonly #watch: Watch
  readonly #modelCalls = new Map<string, OpenModelCall>()
  readonly #toolCalls = new Map<string, OpenToolCall>()
  /** Texts of the calls that were answered. */
  readonly #said: string[] = []
  readonly #stepOfCall = new Map<number | undefined, number>()
  readonly #advances = new Map<number | undefined, () => void>()
  #isClosed = false

  constructor(meter: Meter, budget: Budget, end: EndOfRun, watch: Watch) {
    super()
    this.#meter = meter
    this.#budget = budget
    this.#end = end
    this.#watch = watch
  }

  record(event: Timeless<RunEvent>): void {
    if (this.#isClosed) return
    const timed = { ...event, at: performance.now() } as RunEvent
    this.#meter.record(timed)
    this.#watch(timed)
  }

  override async handleChatModelStart(
    model: Serialized,
    [messages = []]: BaseMessage[][],
    key: string,
    _parentId?: string,
    _extra?: Record<string, unknown>,
    _tags?: string[],
    metadata: Record<string, unknown> = {},
  ): Promise<void> {
    const { attempt = 1, call, max_tokens: maxTokens, ...names } = metadata as Partial<CallMetadata>
    const name = names.model ?? String(metadata.ls_model_name ?? model.id.at(-1) ?? '')
    // Only a cap on what is read and generated needs to know beforehand what will be read.
    const { maxTotalTokens } = this.#budget.limits
    const reads = maxTotalTokens === undefined ? 0 : await countMessages(messages)
    const refusal = this.#budget.tokenRefusal(reads)
    if (refusal) {
      this.#refuse(refusal)
      return await neverBegins()
    }
    const step = this.#stepOfCall.get(call) ?? this.#takeStep()
    if (step === undefined) return await neverBegins()
    if (call !== undefined) this.#stepOfCall.set(call, step)
    this.#modelCalls.set(key, {
      step,
      model: name,
      attempt,
      messages,
      advance: this.#advances.get(call),
      text: '',
    })
    const provider = metadata.ls_provider as string | undefined
    const prompt = () => messages.map(said)
    this.record({ type: 'model_started', key, step, model: name, provider, attempt, maxTokens, prompt })
  }

  /** Text-completion models, LangChain's older kind. */
  override async handleLLMStart(
    model: Serialized,
    prompts: string[],
    key: string,
    parentId?: string,
    extra?: Record<string, unknown>,
    tags?: string[],
    metadata?: Record<string, unknown>,
  ): Promise<void> {
    const messages = prompts.map(text => new HumanMessage(text))
    await this.handleChatModelStart(model, [messages], key, parentId, extra, tags, metadata)
  }

  override handleLLMNewToken(
    text: string,
    _index: unknown,
    key: string,
    _parentId?: string,
    _tags?: string[],
    fields?: HandleLLMNewTokenCallbackFields,
  ): void {
    const open = this.#modelCalls.get(key)
    if (!open) return
    if (open.advance && isProgress(text, fields?.chunk)) open.advance()
    if (text === '') return
    open.text += text
    this.record({ type: 'text', key, step: open.step, text })
  }

  override async handleLLMEnd(result: LLMResult, key: string): Promise<void> {
    const open = this.#modelCalls.get(key)
    if (!open) return
    const generation = result.generations[0]?.[0] as (Generation & { message?: AIMessage }) | undefined
    const message = generation?.message ?? new AIMessage(generation?.text ?? '')
    const { input_tokens: input, output_tokens: output } = message.usage_metadata ?? {}
    const inputTokens = counted(input) ?? (await countMessages(open.messages))
    const outputTokens = counted(output) ?? (await countMessages([message]))
    this.#said.push(message.text)
    this.#endModelCall(key, { inputTokens, outputTokens, reply: replyOf(message) })
  }

  override async handleLLMError(error: unknown, key: string): Promise<void> {
    const open = this.#modelCalls.get(key)
    if (!open) return
    // A call that failed before its first word was not served: nothing was used, unless the provider says so.
    const { prompt_tokens: input, completion_tokens: output } = usageOf(error)
    const inputTokens = open.text ? await countMessages(open.messages) : (counted(input) ?? 0)
    const outputTokens = open.text ? await countTokens(open.text) : (counted(output) ?? 0)
    this.#endModelCall(key, { inputTokens, outputTokens, error })
  }

  override async handleToolStart(
    tool: Serialized,
    args: string,
    key: string,
    _parentId?: string,
    _tags?: string[],
    _metadata?: Record<string, unknown>,
    name = tool.id.at(-1) ?? '',
    callId = '',
  ): Promise<void> {
    const step = this.#takeStep()
    if (step === undefined) return await neverBegins()
    this.#toolCalls.set(key, { step, tool: name, callId })
    this.record({ type: 'tool_started', key, step, tool: name, callId, args })
  }

  override handleToolEnd(output: unknown, key: string): void {
    const { content = output, artifact } = (output ?? {}) as Partial<ToolMessage>
    const result = typeof content === 'string' ? content : JSON.stringify(content)
    this.#endToolCall(key, { result, sources: sourcesIn(artifact) })
  }

  override handleToolError(error: unknown, key: string): void {
    // Only a ToolError's words are meant for others.
    const message = error instanceof ToolError ? error.message : 'the tool failed'
    this.#endToolCall(key, { result: `Error: ${message}`, error })
  }

  /**
   * Tells when a call makes progress: text, reasoning or a part of a tool call, other than white space.
   *
   * @param call as its metadata has it
   * @returns ends it
   */
  onProgress(call: number, advance: () => void): () => void {
    this.#advances.set(call, advance)
    return () => this.#advances.delete(call)
  }

  /** What the models have said so far, each turn's text apart: in calls that were answered, then in those that are open. */
  get textSoFar(): string {
    const open = [...this.#modelCalls.values()].map(({ text }) => text)
    const texts = [...this.#said.map(text => text.trim()), ...open]
    return texts.filter(text => text.trim() !== '').join('\n\n')
  }

  /**
   * Ends the calls that are still open. What they read is counted, whether or not an answer comes, unless the caller
   * hung up: then nobody is billed. Nothing is recorded afterwards.
   */
  async close(failure: RunFailure | undefined): Promise<void> {
    const open = [...this.#modelCalls]
    this.#modelCalls.clear()
    for (const key of [...this.#toolCalls.keys()]) this.#endToolCall(key, { result: '', error: failure })
    const isBilled = failure?.reason !== 'hang_up'
    for (const [key, { messages, text, advance: _, ...call }] of open) {
      const inputTokens = isBilled ? await estimateTokens(messages.map(textOf)) : 0
      const outputTokens = isBilled ? await estimateTokens([text]) : 0
      this.record({ type: 'model_failed', key, ...call, inputTokens, outputTokens, error: failure })
    }
    this.#isClosed = true
  }

  /** The number of a further step; `undefined`: the run has ended, or ends now for want of steps. */
  #takeStep(): number | undefined {
    if (this.#end.signal.aborted) return undefined
    if (this.#budget.stepsLeft > 0) return ++this.#meter.steps
    this.#refuse('max_steps')
    return undefined
  }

  #refuse(reason: LimitReason): void {
    const limit = describeLimit(reason, this.#budget.limits)
    this.#end.end(new RunFailure(reason, `${limit} left no room for an answer`))
  }

  #endModelCall(
    key: string,
    end: { inputTokens: number; outputTokens: number; reply?: Reply | undefined; error?: unknown },
  ): void {
    const open = this.#modelCalls.get(key)
    // The run may have ended while the tokens were counted.
    if (!open) return
    this.#modelCalls.delete(key)
    const { messages: _, text: __, advance: ___, ...call } = open
    this.record({ type: end.reply ? 'model_finished' : 'model_failed', key, ...call, ...end })
  }

  #endToolCall(
    key: string,
    end: { result: string; sources?: readonly Source[] | undefined; error?: unknown },
  ): void {
    const open = this.#toolCalls.get(key)
    if (!open) return
    this.#toolCalls.delete(key)
    this.record({ type: 'tool_finished', key, ...open, ...end })
  }
}

function isProgress(text: string, chunk: ChatGenerationChunk | GenerationChunk | undefined): boolean {
  if (text.trim() !== '') return true
  const { message } = (chunk ?? {}) as { message?: AIMessageChunk }
  if (!message) return false
  const { tool_call_chunks: calls = [], additional_kwargs, content } = message
  const pieces = [
    ...calls.flatMap(({ name, args }) => [name, args]),
    additional_kwargs.reasoning_content,
    // Thoughts of other providers' classes are parts of the content.
    ...(Array.isArray(content) ? content.flatMap(part => Object.values(part)) : []),
  ]
  return pieces.some(piece => typeof piece === 'string' && piece.trim() !== '')
}

/** The sources in an artifact. It is the tool's own: whatever else it holds is no matter here. */
function sourcesIn(artifact: unknown): readonly Source[] | undefined {
  const { sources } = (artifact ?? {}) as { readonly sources?: unknown }
  const isSource = ({ number, title, url }: Partial<Source>) =>
    Number.isInteger(number) && typeof title === 'string' && /^https?:/.test(String(url))
  const found = Array.isArray(sources) ? sources.filter(one => one && isSource(one)) : []
  return found.length > 0 ? found : undefined
}

/** What a call waits for that the budget refuses: whoever made it could catch an error, and try again. */
function neverBegins(): Promise<never> {
  return new Promise(() => {})
}

/** Usage of a reply that could not be used and is paid for all the same, in the provider's own words. */
function usageOf(error: unknown): { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } {
  for (let link = error as (Error & { usage?: object }) | undefined; link; link = link.cause as never)
    if (link.usage) return link.usage
  return {}
}

/** A count of tokens, if it is one. LangChain puts 0 where a provider reports none. */
function counted(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined
}
