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
import { toText } from '../json.ts'
import { ModelStalledError, type ReportedUsage, tokensIn } from '../model/model-error.ts'
import { type Budget, describeLimit, type LimitReason } from './budget.ts'
import type { EndOfRun } from './deadline-and-hang-up.ts'
import type { CalledModel, CalledTool, ModelEnded, RunEvent, ToolEnded, Watch } from './events.ts'
import { RunFailure } from './failure.ts'
import type { Meter } from './meter.ts'
import { plainMessage, plainReply } from './plain-message.ts'
import { countMessages, countTokens, estimateTokens, textOf } from './tokens.ts'

/** What `ModelWithFallbacks` puts in a call's metadata; other models put nothing. */
export interface CallMetadata {
  /** Name of the model in the list of models. */
  readonly model: string
  /** 1 for the first try. */
  readonly attempt: number
  /** Number of the call; the same for all its tries. */
  readonly call: number
  /** Cap on the tokens of this call; absent: none. */
  readonly max_tokens?: number | undefined
}

/** How long the tries of one call on one model have made no progress. */
interface Silence {
  readonly model: string
  since: number
}

interface OpenModelCall {
  readonly called: CalledModel
  readonly messages: readonly BaseMessage[]
  /** Called when the model makes progress. */
  readonly advance: ((isAnswer: boolean) => void) | undefined
  text: string
  /** Set while the tokens of a failed try are counted; its text is no part of the run's. */
  hasFailed: boolean
  readonly silence: Silence
}

/** Share of the run's time after which a model that made no progress is named as the reason of a timeout. */
const SILENT = 0.15

type Timeless<Event> = Event extends unknown ? Omit<Event, 'at'> : never

/**
 * Records one run from LangChain's callbacks. As a handler on the graph's invocation it sees every model and tool that a
 * node calls. It also enforces the budget: a call that would exceed it ends the run and never starts.
 */
export class Recorder extends BaseCallbackHandler {
  override readonly name = 'recorder'
  // The budget must be checked before the call starts, and the counts updated before the next node reads them.
  override readonly awaitHandlers = true
  override readonly ignoreChain = true
  override readonly ignoreRetriever = true
  /** Read by LangChain. Makes `invoke` stream, so that a run that is cut off has its text so far. */
  readonly lc_prefer_streaming = true
  readonly #meter: Meter
  readonly #budget: Budget
  readonly #end: EndOfRun
  readonly #watch: Watch
  readonly #modelCalls = new Map<string, OpenModelCall>()
  readonly #toolCalls = new Map<string, CalledTool>()
  /** Texts of the completed calls. */
  readonly #texts: string[] = []
  readonly #stepOfCall = new Map<number | undefined, number>()
  readonly #advances = new Map<number | undefined, (isAnswer: boolean) => void>()
  readonly #silences = new Map<unknown, Silence>()
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
    // Only the cap on total tokens needs the input counted in advance.
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
    const called = { key, step, model: name, attempt }
    const known = this.#silences.get(call ?? key)
    const silence = known?.model === name ? known : { model: name, since: performance.now() }
    this.#silences.set(call ?? key, silence)
    this.#modelCalls.set(key, {
      called,
      messages,
      advance: this.#advances.get(call),
      text: '',
      hasFailed: false,
      silence,
    })
    const provider = metadata.ls_provider as string | undefined
    const prompt = () => messages.map(plainMessage)
    this.record({ type: 'model_started', ...called, provider, maxTokens, prompt })
  }

  /** Text-completion models, LangChain's older kind. */
  override async handleLLMStart(
    model: Serialized,
    prompts: string[],
    key: string,
    ...rest: [string?, Record<string, unknown>?, string[]?, Record<string, unknown>?]
  ): Promise<void> {
    const messages = prompts.map(text => new HumanMessage(text))
    await this.handleChatModelStart(model, [messages], key, ...rest)
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
    const progress = progressIn(text, fields?.chunk)
    if (progress) {
      open.silence.since = performance.now()
      open.advance?.(progress === 'answer')
    }
    if (text === '') return
    open.text += text
    this.record({ type: 'text', key, step: open.called.step, text })
  }

  override async handleLLMEnd(result: LLMResult, key: string): Promise<void> {
    const open = this.#modelCalls.get(key)
    if (!open) return
    for (const [call, silence] of this.#silences) if (silence === open.silence) this.#silences.delete(call)
    const generation = result.generations[0]?.[0] as (Generation & { message?: AIMessage }) | undefined
    const message = generation?.message ?? new AIMessage(generation?.text ?? '')
    const { input_tokens: input, output_tokens: output } = message.usage_metadata ?? {}
    const inputTokens = tokensIn(input) ?? (await countMessages(open.messages))
    const outputTokens = tokensIn(output) ?? (await countMessages([message]))
    this.#texts.push(message.text)
    this.#endModelCall(key, { type: 'model_finished', inputTokens, outputTokens, reply: plainReply(message) })
  }

  override async handleLLMError(error: unknown, key: string): Promise<void> {
    const open = this.#modelCalls.get(key)
    if (!open) return
    // A try that the run's end cut off still has the text so far.
    open.hasFailed = !this.#end.signal.aborted
    // A call that failed before its first word used nothing, unless the provider reports usage.
    const { prompt_tokens: input, completion_tokens: output } = usageOf(error)
    const inputTokens = open.text ? await countMessages(open.messages) : (tokensIn(input) ?? 0)
    const outputTokens = open.text ? await countTokens(open.text) : (tokensIn(output) ?? 0)
    this.#endModelCall(key, { type: 'model_failed', inputTokens, outputTokens, error })
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
    const called = { key, step, tool: name, callId }
    this.#toolCalls.set(key, called)
    this.record({ type: 'tool_started', ...called, args })
  }

  override handleToolEnd(output: unknown, key: string): void {
    const { content = output, artifact } = (output ?? {}) as Partial<ToolMessage>
    this.#endToolCall(key, { result: toText(content), sources: sourcesIn(artifact) })
  }

  override handleToolError(error: unknown, key: string): void {
    // Only a ToolError's message is meant for the model.
    const message = error instanceof ToolError ? error.message : 'the tool failed'
    this.#endToolCall(key, { result: `Error: ${message}`, error })
  }

  /**
   * Calls `advance` whenever a model call makes progress: text, reasoning or part of a tool call, other than white space.
   *
   * @param call the number in its metadata
   * @param advance receives whether it was more than reasoning
   * @returns a function that unsubscribes
   */
  onProgress(call: number, advance: (isAnswer: boolean) => void): () => void {
    this.#advances.set(call, advance)
    return () => this.#advances.delete(call)
  }

  /** The models' text so far, turns separated by blank lines: completed calls first, then open ones. */
  get textSoFar(): string {
    const open = [...this.#modelCalls.values()].filter(({ hasFailed }) => !hasFailed).map(({ text }) => text)
    const texts = [...this.#texts.map(text => text.trim()), ...open]
    return texts.filter(text => text.trim() !== '').join('\n\n')
  }

  /**
   * Ends the calls that are still open and stops recording. Their input is counted even without an answer, unless the
   * caller hung up: then nobody is billed.
   */
  async close(failure: RunFailure | undefined): Promise<void> {
    const open = [...this.#modelCalls.values()]
    this.#modelCalls.clear()
    for (const key of [...this.#toolCalls.keys()]) this.#endToolCall(key, { result: '', error: failure })
    const isBilled = failure?.reason !== 'hang_up'
    for (const { model, since } of failure?.reason === 'deadline' ? this.#silences.values() : []) {
      const silentMs = performance.now() - since
      if (silentMs < this.#budget.limits.timeoutMs * SILENT) continue
      const error = new ModelStalledError(silentMs, true)
      this.record({ type: 'model_given_up', model, trouble: 'stalled', next: undefined, error })
    }
    for (const { called, messages, text } of open) {
      const inputTokens = isBilled ? await estimateTokens(messages.map(textOf)) : 0
      const outputTokens = isBilled ? await estimateTokens([text]) : 0
      this.record({ type: 'model_failed', ...called, inputTokens, outputTokens, error: failure })
    }
    this.#isClosed = true
  }

  /** The next step's number; `undefined` if the run has ended, or ends now because no step is left. */
  #takeStep(): number | undefined {
    if (this.#end.signal.aborted) return undefined
    if (this.#budget.stepsLeft > 0) return ++this.#meter.steps
    this.#refuse('max_steps')
    return undefined
  }

  #refuse(reason: LimitReason): void {
    const limit = describeLimit(reason, this.#budget.limits)
    this.#end.end(new RunFailure(reason, `${limit} was used up before there was an answer`))
  }

  #endModelCall(key: string, end: Omit<ModelEnded, keyof CalledModel>): void {
    const open = this.#modelCalls.get(key)
    // The run may have ended while tokens were being counted.
    if (!open) return
    this.#modelCalls.delete(key)
    this.record({ ...open.called, ...end })
  }

  #endToolCall(key: string, end: Omit<ToolEnded, keyof CalledTool | 'type'>): void {
    const called = this.#toolCalls.get(key)
    if (!called) return
    this.#toolCalls.delete(key)
    this.record({ type: 'tool_finished', ...called, ...end })
  }
}

function progressIn(
  text: string,
  chunk: ChatGenerationChunk | GenerationChunk | undefined,
): 'answer' | 'reasoning' | undefined {
  const isWord = (piece: unknown) => typeof piece === 'string' && piece.trim() !== ''
  if (isWord(text)) return 'answer'
  const { message } = (chunk ?? {}) as { message?: AIMessageChunk }
  if (!message) return undefined
  const { tool_call_chunks: calls = [], additional_kwargs, content } = message
  if (calls.some(({ name, args }) => isWord(name) || isWord(args))) return 'answer'
  const pieces = [
    additional_kwargs.reasoning_content,
    // Other providers' classes put reasoning in content parts.
    ...(Array.isArray(content) ? content.flatMap(part => Object.values(part)) : []),
  ]
  return pieces.some(isWord) ? 'reasoning' : undefined
}

/** The sources in a tool's artifact; anything else in it belongs to the tool. */
function sourcesIn(artifact: unknown): readonly Source[] | undefined {
  const { sources } = (artifact ?? {}) as { readonly sources?: unknown }
  const isSource = ({ number, title, url }: Partial<Source>) =>
    Number.isInteger(number) && typeof title === 'string' && /^https?:/.test(String(url))
  const found = Array.isArray(sources) ? sources.filter(one => one && isSource(one)) : []
  return found.length > 0 ? found : undefined
}

/** Never settles: for a call that the budget refuses, since the node could catch an error and try again. */
function neverBegins(): Promise<never> {
  return new Promise(() => {})
}

/** The usage the provider reported for a reply that could not be used but is billed. */
function usageOf(error: unknown): ReportedUsage {
  for (let link = error as (Error & { usage?: ReportedUsage }) | undefined; link; link = link.cause as never)
    if (link.usage) return link.usage
  return {}
}
