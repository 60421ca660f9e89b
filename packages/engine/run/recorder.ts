import { type ReportedUsage, tokensIn } from '@agent-task-service/openai-compatible/errors'
import { plainText } from '@agent-task-service/openai-compatible/message-text'
import { isObject, toText } from '@agent-task-service/untrusted/json'
import { BaseCallbackHandler, type HandleLLMNewTokenCallbackFields } from '@langchain/core/callbacks/base'
import type { Serialized } from '@langchain/core/load/serializable'
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  type ToolMessage,
} from '@langchain/core/messages'
import type { Generation, LLMResult } from '@langchain/core/outputs'
import { type Command, isCommand, isGraphBubbleUp } from '@langchain/langgraph'
import { causesOf } from '../failures/causes.ts'
import { isUnreachable } from '../failures/classify-error.ts'
import { ModelStalledError } from '../failures/model-stalled.ts'
import { RunFailure } from '../failures/run-failure.ts'
import type { LimitReason } from '../failures/stop-reason.ts'
import { type Source, ToolError } from '../tool.ts'
import { type Budget, describeLimit } from './budget.ts'
import type { EndOfRun } from './deadline-and-hang-up.ts'
import type { CalledModel, CalledTool, ModelEnded, RunEvent, ToolEnded, Watch } from './events.ts'
import type { Meter } from './meter.ts'
import type { Mutex } from './mutex.ts'
import { type Metadata, NodeWatch, nodeAround } from './node-watch.ts'
import { plainMessage, plainReply } from './plain-message.ts'
import type { BilledTokens, Price } from './price.ts'
import {
  countMessages,
  countRequest,
  countTokens,
  estimateRequest,
  estimateTokens,
  type Request,
} from './tokens.ts'

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

/** The parts of a run that its recorder reads and changes. */
interface RecordedRun {
  readonly meter: Meter
  readonly budget: Budget
  readonly end: EndOfRun
  readonly mutex: Mutex
  readonly priceOf?: ((model: string) => Promise<Price | undefined>) | undefined
}

interface OpenModelCall {
  readonly called: CalledModel
  readonly request: Request
  /** Called when the model makes progress. */
  readonly advance: ((isAnswer: boolean) => void) | undefined
  /** Lets the next call under a token cap begin; only for a model that a node calls itself. */
  readonly release: (() => void) | undefined
  /** Of a model of the list. */
  readonly price: Promise<Price | undefined> | undefined
  text: string
  /** Set while the tokens of a failed try are counted; its text is no part of the run's. */
  hasFailed: boolean
  /** When it last made progress, or began. */
  progressAt: number
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
  override readonly ignoreRetriever = true
  /** Read by LangChain. Makes `invoke` stream, so that a run that is cut off has its text so far. */
  readonly lc_prefer_streaming = true
  readonly nodes = new NodeWatch(event => this.record(event))
  readonly #run: RecordedRun
  readonly #watch: Watch
  readonly #modelCalls = new Map<string, OpenModelCall>()
  readonly #toolCalls = new Map<string, CalledTool>()
  /** Texts of the completed calls. */
  readonly #texts: string[] = []
  readonly #modelErrors = new WeakSet<Error>()
  readonly #stepOfCall = new Map<number | undefined, number>()
  readonly #advances = new Map<number | undefined, (isAnswer: boolean) => void>()
  #isClosed = false

  constructor(run: RecordedRun, watch: Watch) {
    super()
    this.#run = run
    this.#watch = watch
  }

  record(event: Timeless<RunEvent>): void {
    if (this.#isClosed) return
    const timed = { ...event, at: performance.now() } as RunEvent
    this.#run.meter.record(timed)
    this.#watch(timed)
  }

  override handleChainStart(
    _chain: Serialized,
    _inputs: unknown,
    key: string,
    _parentId?: string,
    tags: string[] = [],
    metadata: Record<string, unknown> = {},
  ): void {
    this.nodes.start(key, tags, metadata)
  }

  override handleChainEnd(_outputs: unknown, key: string): void {
    this.nodes.end(key)
  }

  override handleChainError(error: unknown, key: string): void {
    this.nodes.end(key, error)
  }

  override async handleChatModelStart(
    model: Serialized,
    [messages = []]: BaseMessage[][],
    key: string,
    parentId = '',
    extra?: Record<string, unknown>,
    _tags?: string[],
    metadata: Record<string, unknown> = {},
  ): Promise<void> {
    const { attempt = 1, call, max_tokens: maxTokens, ...names } = metadata as Partial<CallMetadata>
    const name = names.model ?? String(metadata.ls_model_name ?? model.id.at(-1) ?? '')
    // Calls of the listed models have taken their turn already, and a call within a call shares the outer one's.
    const isUncapped = call === undefined && this.#run.budget.isCapped
    const release =
      isUncapped && !this.#modelCalls.has(parentId) ? await this.#run.mutex.acquire() : undefined
    const request = requestOf(messages, extra?.invocation_params)
    // Only the cap on total tokens needs the input counted in advance.
    const { maxTotalTokens, maxCostUsd } = this.#run.budget.limits
    const reads = maxTotalTokens === undefined ? 0 : await countRequest(request)
    const refusal = this.#run.budget.tokenRefusal(reads)
    if (refusal) {
      this.refuse(refusal)
      return await blockForever()
    }
    if (maxCostUsd !== undefined && call === undefined) {
      const error = `the model ${name} is not in the list of models, so its price is unknown, and the cost of a run is limited`
      this.#run.end.end(new RunFailure('max_cost', error))
      return await blockForever()
    }
    const step = this.#stepOfCall.get(call) ?? this.#takeStep()
    if (step === undefined) return await blockForever()
    if (call !== undefined) this.#stepOfCall.set(call, step)
    const called = { key, outer: nodeAround(metadata), step, model: name, attempt }
    const price = call === undefined ? undefined : this.#run.priceOf?.(name)
    this.#modelCalls.set(key, {
      called,
      request,
      advance: this.#advances.get(call),
      release,
      price,
      text: '',
      hasFailed: false,
      progressAt: performance.now(),
    })
    const provider = metadata.ls_provider as string | undefined
    const prompt = () => messages.map(plainMessage)
    const chatClass = model.id.at(-1) ?? ''
    this.record({ type: 'model_started', ...called, chatClass, isUncapped, provider, maxTokens, prompt })
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
    token: string,
    _index: unknown,
    key: string,
    _parentId?: string,
    _tags?: string[],
    fields?: HandleLLMNewTokenCallbackFields,
  ): void {
    const open = this.#modelCalls.get(key)
    if (!open) return
    // Some classes put the arguments of a tool call in the token; only the chunk tells text from them.
    const { message } = (fields?.chunk ?? {}) as { readonly message?: AIMessageChunk }
    const text = message ? plainText(message) : token
    const progress = progressIn(text, message)
    if (progress) {
      open.progressAt = performance.now()
      open.advance?.(progress === 'answer')
    }
    if (text === '') return
    open.text += text
    this.record({ type: 'text', key, step: open.called.step, text })
  }

  override async handleLLMEnd(result: LLMResult, key: string): Promise<void> {
    const open = this.#modelCalls.get(key)
    if (!open) return
    const generation = result.generations[0]?.[0] as (Generation & { message?: AIMessage }) | undefined
    const message = generation?.message ?? new AIMessage(generation?.text ?? '')
    const {
      input_tokens: input,
      output_tokens: output,
      input_token_details: ofInput,
    } = message.usage_metadata ?? {}
    const inputTokens = tokensIn(input) ?? (await countRequest(open.request))
    const cachedTokens = cachedIn(ofInput?.cache_read, inputTokens)
    const outputTokens = tokensIn(output) ?? (await countMessages([message]))
    this.#texts.push(plainText(message))
    const tokens = { inputTokens, outputTokens, cachedTokens }
    const cost = await costOf(open, tokens, (tokensIn(input) ?? tokensIn(output)) === undefined)
    this.#endModelCall(key, { type: 'model_finished', ...tokens, cost, reply: plainReply(message) })
  }

  /** Whether a model call ended with this error. */
  isOfModel(error: unknown): boolean {
    return error instanceof Error && this.#modelErrors.has(error)
  }

  override async handleLLMError(error: unknown, key: string): Promise<void> {
    if (error instanceof Error) this.#modelErrors.add(error)
    const open = this.#modelCalls.get(key)
    if (!open) return
    // A try that the run's end cut off still has the text so far.
    open.hasFailed = !this.#run.end.signal.aborted
    // A call that failed before its first word used nothing, unless the provider reports usage.
    const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: ofInput } = usageOf(error)
    const inputTokens = tokensIn(input) ?? (open.text ? await countRequest(open.request) : 0)
    const outputTokens = tokensIn(output) ?? (open.text ? await countTokens(open.text) : 0)
    const cachedTokens = cachedIn(ofInput?.cached_tokens, inputTokens)
    const isReported = tokensIn(input) !== undefined
    const cost =
      isReported || wasRefused(error)
        ? await costOf(open, { inputTokens, outputTokens, cachedTokens }, false)
        : await estimatedCostOf(open, outputTokens)
    this.#endModelCall(key, { type: 'model_failed', inputTokens, outputTokens, cachedTokens, cost, error })
  }

  override async handleToolStart(
    tool: Serialized,
    args: string,
    key: string,
    _parentId?: string,
    _tags?: string[],
    metadata: Metadata = {},
    name = tool.id.at(-1) ?? '',
    callId = '',
  ): Promise<void> {
    const step = this.#takeStep()
    if (step === undefined) return await blockForever()
    const called = { key, outer: nodeAround(metadata), step, tool: name, callId }
    this.#toolCalls.set(key, called)
    this.record({ type: 'tool_started', ...called, args })
  }

  override handleToolEnd(output: unknown, key: string): void {
    const read = isCommand(output) ? answerOf(output, this.#toolCalls.get(key)?.callId) : output
    const { content = read, artifact } = (read ?? {}) as Partial<ToolMessage>
    this.#endToolCall(key, { result: toText(content), sources: sourcesIn(artifact) })
  }

  override handleToolError(error: unknown, key: string): void {
    // Only a ToolError's message is meant for the model.
    const message = error instanceof ToolError ? error.message : 'the tool failed'
    // A pause, or a command for the graph around it, is no failure.
    this.#endToolCall(key, isGraphBubbleUp(error) ? { result: '' } : { result: `Error: ${message}`, error })
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

  /** Ends the calls that were given up but have not reported their end yet: under a cap the next one must know their cost. */
  async closeAbandonedCalls(): Promise<void> {
    for (const [key, { price }] of [...this.#modelCalls]) if (price) await this.handleLLMError(undefined, key)
  }

  /** The models' text so far, turns separated by blank lines: completed calls first, then open ones. */
  get textSoFar(): string {
    const open = [...this.#modelCalls.values()].filter(({ hasFailed }) => !hasFailed).map(({ text }) => text)
    const texts = [...this.#texts.map(text => text.trim()), ...open]
    return texts.filter(text => text.trim() !== '').join('\n\n')
  }

  /**
   * Ends the calls that are still open and stops recording. Their input is counted even without an answer, unless the
   * caller hung up: then the metrics bill nobody, but the provider bills us.
   */
  async close(failure: RunFailure | undefined): Promise<void> {
    const open = [...this.#modelCalls.values()]
    this.#modelCalls.clear()
    for (const key of [...this.#toolCalls.keys()]) this.#endToolCall(key, { result: '', error: failure })
    const isBilled = failure?.reason !== 'hang_up'
    for (const call of open) {
      const silentMs = performance.now() - call.progressAt
      if (failure?.reason === 'deadline' && silentMs >= this.#run.budget.limits.timeoutMs * SILENT) {
        const error = new ModelStalledError(silentMs, true)
        const { model } = call.called
        this.record({ type: 'model_given_up', model, trouble: 'stalled', next: undefined, error })
      }
      const inputTokens = await estimateRequest(call.request)
      const outputTokens = await estimateTokens([call.text])
      const cost = await estimatedCostOf(call, outputTokens)
      const counted = isBilled ? { inputTokens, outputTokens } : { inputTokens: 0, outputTokens: 0 }
      this.record({ type: 'model_failed', ...call.called, ...counted, cost, error: failure })
    }
    this.nodes.close(failure)
    this.record({ type: 'run_ended', cost: this.#run.meter.cost })
    this.#isClosed = true
  }

  /** The next step's number; `undefined` if the run has ended, or ends now because no step is left. */
  #takeStep(): number | undefined {
    if (this.#run.end.signal.aborted) return undefined
    if (this.#run.budget.stepsLeft > 0) return ++this.#run.meter.steps
    this.refuse('max_steps')
    return undefined
  }

  /** Ends the run, since the next call would exceed a limit. */
  refuse(reason: LimitReason): void {
    const limit = describeLimit(reason, this.#run.budget.limits)
    this.#run.end.end(new RunFailure(reason, `${limit} was used up before there was an answer`))
  }

  #endModelCall(key: string, end: Omit<ModelEnded, keyof CalledModel>): void {
    const open = this.#modelCalls.get(key)
    // The run may have ended while tokens were being counted.
    if (!open) return
    this.#modelCalls.delete(key)
    this.record({ ...open.called, ...end })
    open.release?.()
  }

  #endToolCall(key: string, end: Omit<ToolEnded, keyof CalledTool | 'type'>): void {
    const called = this.#toolCalls.get(key)
    if (!called) return
    this.#toolCalls.delete(key)
    this.record({ type: 'tool_finished', ...called, ...end })
  }
}

function progressIn(text: string, message: AIMessageChunk | undefined): 'answer' | 'reasoning' | undefined {
  const isWord = (piece: unknown) => typeof piece === 'string' && piece.trim() !== ''
  if (isWord(text)) return 'answer'
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

/** The message among a command's updates that answers the call; "" if there is none. */
function answerOf({ update }: Command, callId: string | undefined): unknown {
  const updates: unknown[] = Array.isArray(update) ? update.map(([, value]) => value) : [update]
  const messages = [update, ...updates].flatMap(
    each => (each as { readonly messages?: ToolMessage[] } | undefined)?.messages ?? [],
  )
  return messages.find(({ tool_call_id }) => tool_call_id === callId) ?? ''
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
function blockForever(): Promise<never> {
  return new Promise(() => {})
}

async function costOf({ price }: OpenModelCall, tokens: BilledTokens, isEstimate: boolean) {
  const isFree = !isEstimate && tokens.inputTokens + tokens.outputTokens === 0
  const usd = isFree ? 0 : priceOf(await price, tokens)
  // A model that costs nothing has no bill to guess.
  return { usd, isEstimate: isEstimate && usd !== 0 }
}

/** Whatever a price does, the call is recorded: `undefined` if it gives no amount. */
function priceOf(price: Price | undefined, tokens: BilledTokens): number | undefined {
  try {
    const usd = price?.(tokens)
    return usd !== undefined && usd >= 0 && Number.isFinite(usd) ? usd : undefined
  } catch {
    return undefined
  }
}

/** Some proxies report more tokens read from the cache than read at all. */
function cachedIn(reported: unknown, inputTokens: number): number | undefined {
  const cached = tokensIn(reported)
  return cached === undefined ? undefined : Math.min(cached, inputTokens)
}

/** The request as far as the class of the model tells what it sends. */
function requestOf(messages: readonly BaseMessage[], params: unknown): Request {
  const { tools, response_format } = (params ?? {}) as { tools?: unknown; response_format?: unknown }
  return {
    messages,
    tools: Array.isArray(tools) ? tools.filter(isObject) : undefined,
    responseFormat: response_format,
  }
}

/** The provider bills what a call read even if no word of its reply arrived. */
async function estimatedCostOf(call: OpenModelCall, outputTokens: number) {
  const inputTokens = call.price ? await estimateRequest(call.request) : 0
  return await costOf(call, { inputTokens, outputTokens }, true)
}

/** Whether the provider answered with an error status, or was never reached or asked; no provider bills that. */
function wasRefused(error: unknown): boolean {
  return causesOf(error).some(link => {
    const isUnasked = link instanceof RunFailure && link.reason === 'max_tokens'
    return isUnasked || typeof (link as { status?: unknown }).status === 'number' || isUnreachable(link)
  })
}

/** The usage the provider reported for a reply that could not be used but is billed. */
function usageOf(error: unknown): ReportedUsage {
  const usages = causesOf(error).map(link => (link as { readonly usage?: ReportedUsage }).usage)
  return usages.find(usage => usage !== undefined) ?? {}
}
