import { isCut, withFinishReason } from '@agent-task-service/messages/finish-reason'
import { plainText } from '@agent-task-service/messages/message-text'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import { isObject } from '@agent-task-service/wire/untrusted'
import { BaseCallbackHandler, type HandleLLMNewTokenCallbackFields } from '@langchain/core/callbacks/base'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { Serialized } from '@langchain/core/load/serializable'
import { AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk, Generation, LLMResult } from '@langchain/core/outputs'
import { isCommand, isGraphBubbleUp } from '@langchain/langgraph'
import { ModelStalledError } from '../failures/model-trouble.ts'
import { RunFailure } from '../failures/run-failure.ts'
import type { LimitReason } from '../failures/stop-reason.ts'
import { notEnabled, ToolError } from '../failures/tool-error.ts'
import { BudgetEnforcer, type EnforcedRun } from './budget-enforcer.ts'
import { type CallUsage, usageOfBoth, usageOfFailure, usageOfOpenCall, usageOfReply } from './call-usage.ts'
import type { RunContext } from './context.ts'
import type { ModelInput } from './count-tokens.ts'
import type { RunEvent, RunEventListener, RunEventOf } from './events.ts'
import type { modelInputs } from './model-inputs.ts'
import { ModelReplies } from './model-replies.ts'
import { type Metadata, NodeTracker, nodeAround, nodeNamed } from './node-tracker.ts'
import { ownRetries } from './own-retries.ts'
import { plainMessage, plainReply, plainToolResult, type ToolResult } from './plain-message.ts'
import { type Price, spent } from './price.ts'
import { StandIns } from './stand-ins.ts'
import { declaresHints, GUARDED, type ToolHints } from './tool-hints.ts'

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
  /** The limit because of which the model is asked for an answer; absent: none. */
  readonly wrap_up?: LimitReason | undefined
  /** What the call has used, if it was made before the run was taken over; absent: it is made now. */
  readonly replayed?: CallUsage | undefined
  /** Whether it counts as one past the soft deadline; absent: the time decides. */
  readonly past_soft_deadline?: boolean | undefined
}

/** The parts of a run that its callback handler reads and changes. */
interface HandledRun extends EnforcedRun {
  readonly priceOf?: ((model: string) => Promise<Price | undefined>) | undefined
  readonly context?: RunContext | undefined
  /** Absent: nobody is told what the models read. */
  readonly describeInput?: ReturnType<typeof modelInputs> | undefined
}

interface OpenModelCall {
  readonly key: string
  /** Key of the node in which it is made. */
  readonly outer: string | undefined
  readonly step: number
  readonly model: string
  readonly attempt: number
  readonly request: ModelInput
  /** Called when the model makes progress. */
  readonly advance: Advance | undefined
  /** Lets the next call under a token cap begin; only for a model that a node calls itself. */
  readonly release: (() => void) | undefined
  /** Of a model of the list. */
  readonly price: Promise<Price | undefined> | undefined
  /** Number of a listed model's call, the same for all its tries. */
  readonly call: number | undefined
  /** What it has used, if it is not made anew. */
  readonly replayed: CallUsage | undefined
  text: string
  /** Set while the tokens of a failed try are counted; its text is no part of the run's. */
  hasFailed: boolean
  /** When it last made progress, or began. */
  progressAt: number
}

interface OpenToolCall {
  readonly step: number
  /** Name of the tool, or "" if the model named one that does not exist. */
  readonly tool: string
  /** The model's id for the call. */
  readonly callId: string
  /** What it declares, if it runs though no guard stands before it: its rules do not hold. */
  unguarded: ToolHints | undefined
  isReplayed: boolean
}

/** Receives each sign of a model's progress. `finish`: it has finished, and its client waits for more only a while. */
export type Advance = (progress: 'answer' | 'reasoning' | 'finish') => void

/** Share of the run's time after which a model that made no progress is named as the reason of a timeout. */
const STALLED = 0.15

type Untimed<Event> = Event extends unknown ? Omit<Event, 'at'> : never

/**
 * Records one run from LangChain's callbacks. As a handler on the graph's invocation it sees every model and tool that a
 * node calls. A call that would exceed the run's budget never starts.
 */
export class RunCallbackHandler extends BaseCallbackHandler {
  override readonly name = 'run_callback_handler'
  // The budget must be checked before the call starts, and the counts updated before the next node reads them.
  override readonly awaitHandlers = true
  /** A tool whose start throws is not called, and its caller gets the error. */
  override readonly raiseError = true
  override readonly ignoreRetriever = true
  /** Read by LangChain. Makes `invoke` stream, so that a run that is cut off has its text so far. */
  readonly lc_prefer_streaming = true
  readonly nodes = new NodeTracker(event => this.record(event))
  readonly replies = new ModelReplies()
  readonly standIns = new StandIns(this.replies)
  readonly enforcer: BudgetEnforcer
  readonly #run: HandledRun
  readonly #watch: RunEventListener
  readonly #modelCalls = new Map<string, OpenModelCall>()
  readonly #toolCalls = new Map<string, OpenToolCall>()
  readonly #modelErrors = new WeakSet<Error>()
  /** What the calls of listed models have used so far, by their number. */
  readonly #usageOfCalls = new Map<number, CallUsage>()
  readonly #progressListeners = new Map<number | undefined, Advance>()
  #isClosed = false

  constructor(run: HandledRun, watch: RunEventListener) {
    super()
    this.#run = run
    this.enforcer = new BudgetEnforcer(run)
    this.#watch = watch
  }

  record(event: Untimed<RunEvent>): void {
    if (this.#isClosed) return
    const timed = { ...event, at: performance.now() } as RunEvent
    this.#run.meter.record(timed)
    this.#watch(timed)
  }

  override handleChainStart(
    _chain: Serialized,
    input: unknown,
    runId: string,
    _parentId?: string,
    tags: string[] = [],
    metadata: Record<string, unknown> = {},
  ): void {
    this.nodes.start(runId, tags, metadata, input)
  }

  override handleChainEnd(output: unknown, runId: string): void {
    const node = this.nodes.end(runId)
    if (node) this.standIns.nodeEnded(node, output)
  }

  override handleChainError(error: unknown, runId: string): void {
    this.nodes.end(runId, error)
  }

  override async handleChatModelStart(
    model: Serialized,
    [messages = []]: BaseMessage[][],
    runId: string,
    parentId = '',
    extra?: Record<string, unknown>,
    _tags?: string[],
    metadata: Record<string, unknown> = {},
  ): Promise<void> {
    const {
      attempt = 1,
      call,
      max_tokens: callCap,
      wrap_up,
      replayed,
      past_soft_deadline,
      ...names
    } = metadata as Partial<CallMetadata>
    const name = names.model ?? String(metadata.ls_model_name ?? model.id.at(-1) ?? '')
    const request = requestOf(messages, extra?.invocation_params)
    const isInner = this.#modelCalls.has(parentId)
    const isReplayed = replayed !== undefined
    const asked = { model: name, call, isInner, isReplayed, request }
    const admitted = await this.enforcer.admitModelCall(asked)
    if (!admitted) return await blockForever()
    const { step, release } = admitted
    const outer = nodeAround(metadata)
    this.#modelCalls.set(runId, {
      key: runId,
      outer,
      step,
      model: name,
      attempt,
      request,
      advance: this.#progressListeners.get(call),
      release,
      price: call === undefined ? undefined : this.#run.priceOf?.(name),
      call,
      replayed,
      text: '',
      hasFailed: false,
      progressAt: performance.now(),
    })
    this.record({
      type: 'model_started',
      data: { step, ...within(outer), model: name, attempt },
      key: runId,
      outer,
      chatClass: model.id.at(-1) ?? '',
      isUncapped: call === undefined && this.#run.budget.isCapped,
      isPastSoftDeadline: past_soft_deadline ?? (attempt === 1 && this.#run.budget.isPastSoftDeadline),
      wrapUp: wrap_up,
      provider: metadata.ls_provider as string | undefined,
      ownRetries: call === undefined ? ownRetries(model) : 0,
      callCap,
      prompt: () => messages.map(plainMessage),
      offered: () => namesOf(request.tools),
    })
    const read = await this.#run.describeInput?.(request)
    if (read) this.record({ type: 'model_input', data: { step, messages: read } })
  }

  /** Text-completion models, LangChain's older kind. */
  override async handleLLMStart(
    model: Serialized,
    prompts: string[],
    runId: string,
    ...rest: [string?, Record<string, unknown>?, string[]?, Record<string, unknown>?]
  ): Promise<void> {
    const messages = prompts.map(text => new HumanMessage(text))
    await this.handleChatModelStart(model, [messages], runId, ...rest)
  }

  override handleLLMNewToken(
    token: string,
    _index: unknown,
    runId: string,
    _parentId?: string,
    _tags?: string[],
    fields?: HandleLLMNewTokenCallbackFields,
  ): void {
    const open = this.#modelCalls.get(runId)
    if (!open) return
    // Some classes put the arguments of a tool call in the token; only the chunk tells text from them.
    const { message, generationInfo } = (fields?.chunk ?? {}) as Partial<ChatGenerationChunk>
    const text = message ? plainText(message) : token
    const progress = progressIn(text, message as AIMessageChunk | undefined, generationInfo?.sign)
    if (progress) {
      open.progressAt = performance.now()
      open.advance?.(progress)
    }
    if (text === '') return
    open.text += text
    this.record({ type: 'text', data: { step: open.step, text } })
  }

  override async handleLLMEnd(result: LLMResult, runId: string): Promise<void> {
    const open = this.#modelCalls.get(runId)
    if (!open) return
    const generation = result.generations[0]?.[0] as (Generation & { message?: AIMessage }) | undefined
    const reply = generation?.message ?? new AIMessage(generation?.text ?? '')
    const message = withFinishReason(reply, generation?.generationInfo)
    const usage = open.replayed ?? (await usageOfReply(open, message))
    // The run may have ended while tokens were being counted.
    if (!this.#modelCalls.delete(runId)) return
    this.replies.add(message)
    this.standIns.modelReplied(open.outer)
    this.#addUsage(open, usage)
    this.record(modelFinished(open, usage, message))
    open.release?.()
  }

  #addUsage({ call }: OpenModelCall, usage: CallUsage): void {
    if (call === undefined) return
    const before = this.#usageOfCalls.get(call)
    this.#usageOfCalls.set(call, before ? usageOfBoth(before, usage) : usage)
  }

  /** What all tries of a listed model's call have used, once it has ended. */
  usageOf(call: number): CallUsage | undefined {
    return this.#usageOfCalls.get(call)
  }

  /** Whether a model call ended with this error. */
  isModelError(error: unknown): boolean {
    return error instanceof Error && this.#modelErrors.has(error)
  }

  override async handleLLMError(error: unknown, runId: string): Promise<void> {
    if (error instanceof Error) this.#modelErrors.add(error)
    const open = this.#modelCalls.get(runId)
    // A try that the run's end cut off still has the text so far, and is ended by `close`.
    if (!open || this.#run.controller.signal.aborted) return
    open.hasFailed = true
    this.standIns.modelFailed(open.outer, error)
    const usage = await usageOfFailure(open, error)
    if (!this.#modelCalls.delete(runId)) return
    this.#addUsage(open, usage)
    this.record(modelFailed(open, usage, error))
    open.release?.()
  }

  override async handleToolStart(
    tool: Serialized,
    args: string,
    runId: string,
    _parentId?: string,
    _tags?: string[],
    metadata: Metadata = {},
    name = tool.id.at(-1) ?? '',
    callId = '',
  ): Promise<void> {
    const step = this.#isClosed ? undefined : this.enforcer.takeStep()
    if (step === undefined) return await blockForever()
    const open: OpenToolCall = { step, tool: name, callId, unguarded: undefined, isReplayed: false }
    this.#toolCalls.set(runId, open)
    const outer = nodeAround(metadata)
    this.record({
      type: 'tool_started',
      data: { step, ...within(outer), tool: name, call_id: callId, arguments: args },
      key: runId,
      outer,
    })
    if (GUARDED in metadata) return
    await this.#admitUnguarded(runId, name, metadata)
    open.unguarded = metadata
  }

  /**
   * For a tool that is in no registry, and that no `parts.model` was offered.
   *
   * @throws {ToolError} if the run may not call it
   */
  async #admitUnguarded(runId: string, name: string, hints: ToolHints): Promise<void> {
    if (!declaresHints(hints)) return
    const { context, controller } = this.#run
    if (context?.enabled_tools?.includes(name) === false) {
      const refusal = notEnabled(name)
      this.handleToolError(refusal, runId)
      throw refusal
    }
    if (hints.readOnlyHint !== false) return
    const message = `the tool ${name} has side effects, and its rules would not hold: add it to tools/registry.ts, or bind it to parts.model`
    controller.abort(new RunFailure('unguarded_tool', message))
    await blockForever()
  }

  /** The call has the result that it had before: its tool does not run. */
  toolReplayed(runId: string | undefined): void {
    const open = this.#toolCalls.get(runId ?? '')
    if (open) open.isReplayed = true
  }

  override handleToolEnd(output: unknown, runId: string): void {
    const result = plainToolResult(output, this.#toolCalls.get(runId)?.callId)
    this.#endToolCall(runId, { ...result, isCommand: isCommand(output) })
  }

  override handleToolError(error: unknown, runId: string): void {
    // Only a ToolError's message is meant for the model.
    const message = error instanceof ToolError ? error.message : 'the tool failed'
    // A pause, or a command for the graph around it, is no failure.
    if (isGraphBubbleUp(error)) this.#endToolCall(runId, { result: '' })
    else this.#endToolCall(runId, { result: `Error: ${message}` }, error)
  }

  /** What a node passes to LangChain's `dispatchCustomEvent`. */
  override handleCustomEvent(name: string, data: unknown): void {
    this.record({ type: 'custom', data: { data: { name, data } } })
  }

  /**
   * Calls `advance` whenever a model call makes progress: text, reasoning or part of a tool call, other than white space.
   *
   * @param call the number in its metadata
   * @returns a function that unsubscribes
   */
  onProgress(call: number, advance: Advance): () => void {
    this.#progressListeners.set(call, advance)
    return () => this.#progressListeners.delete(call)
  }

  /** Ends the calls that were given up but have not reported their end yet: under a cap the next one must know their cost. */
  async closeAbandonedCalls(): Promise<void> {
    for (const [runId, { price }] of [...this.#modelCalls])
      if (price) await this.handleLLMError(undefined, runId)
  }

  /** The models' text so far, turns separated by blank lines: completed calls first, then open ones. */
  get textSoFar(): string {
    const open = [...this.#modelCalls.values()].filter(({ hasFailed }) => !hasFailed).map(({ text }) => text)
    const texts = [...this.replies.texts, ...open]
    return texts.filter(text => text.trim() !== '').join('\n\n')
  }

  /**
   * Ends the calls that are still open and stops recording. Their input is counted even without an answer, unless the
   * caller hung up: then the metrics bill nobody, but the provider bills us.
   */
  async close(failure: RunFailure | undefined): Promise<void> {
    const open = [...this.#modelCalls.values()]
    this.#modelCalls.clear()
    for (const runId of [...this.#toolCalls.keys()]) this.#endToolCall(runId, { result: '' }, failure)
    for (const call of open) {
      if (failure?.reason === 'deadline') this.#reportStall(call)
      const { tokens, cost } = await usageOfOpenCall(call)
      const isBilled = failure?.reason !== 'hang_up'
      const counted = isBilled ? tokens : { inputTokens: 0, outputTokens: 0 }
      this.record(modelFailed(call, { tokens: counted, cost }, failure))
    }
    this.nodes.close(failure)
    this.record({ type: 'run_finished', data: spent(this.#run.meter.cost) })
    this.#isClosed = true
  }

  /** Names a model that made no progress as the reason of a timeout. */
  #reportStall({ model, progressAt }: OpenModelCall): void {
    const silentMs = performance.now() - progressAt
    if (silentMs < this.#run.budget.limits.timeoutMs * STALLED) return
    const error = new ModelStalledError(silentMs, true)
    this.record({ type: 'model_given_up', data: { model, reason: 'stalled', next: null }, error })
  }

  #endToolCall(
    runId: string,
    { result, sources, isCommand = false }: ToolResult & { readonly isCommand?: boolean },
    error?: unknown,
  ): void {
    const open = this.#toolCalls.get(runId)
    if (!open) return
    this.#toolCalls.delete(runId)
    const { step, tool, callId, unguarded: hints, isReplayed } = open
    this.record({
      type: 'tool_finished',
      data: {
        step,
        tool,
        call_id: callId,
        failed: error !== undefined,
        result,
        ...(sources && { sources }),
        ...(isReplayed && { replayed: true }),
      },
      key: runId,
      unguarded: hints && { hints, isCommand },
      error,
    })
  }
}

/** @param outer key of the node in which a call is made */
function within(outer: string | undefined): { node?: string } {
  return outer === undefined ? {} : { node: nodeNamed(outer) }
}

function modelFinished(
  { key, step, model, replayed }: OpenModelCall,
  { tokens, cost }: CallUsage,
  message: AIMessage,
): Untimed<RunEventOf<'model_finished'>> {
  const { tool_calls: calls = [], invalid_tool_calls: faulty = [] } = message
  return {
    type: 'model_finished',
    data: {
      step,
      model,
      input_tokens: tokens.inputTokens,
      output_tokens: tokens.outputTokens,
      cached_tokens: tokens.cachedTokens ?? 0,
      ...spent(cost),
      tool_calls: [...calls, ...faulty].map(({ name = '' }) => name),
      cut: isCut(message),
      ...(replayed && { replayed: true }),
    },
    key,
    tokens,
    reply: plainReply(message),
  }
}

function modelFailed(
  { key, step, model, attempt }: OpenModelCall,
  { tokens, cost }: CallUsage,
  error: unknown,
): Untimed<RunEventOf<'model_failed'>> {
  return { type: 'model_failed', data: { step, model, attempt, ...spent(cost) }, key, tokens, error }
}

/** @param sign of our own class: what it holds is more than reasoning */
function progressIn(
  text: string,
  message: AIMessageChunk | undefined,
  sign: unknown,
): Parameters<Advance>[0] | undefined {
  if (sign) return sign === 'finished' ? 'finish' : 'answer'
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

/** Never settles: for a call that the budget refuses, since the node could catch an error and try again. */
function blockForever(): Promise<never> {
  return new Promise(() => {})
}

/** Gemini's class has all tools in one. */
function namesOf(tools: readonly unknown[] = []): string[] {
  const flat = tools.filter(isObject).flatMap(tool => tool.functionDeclarations ?? [tool])
  return (flat as BindToolsInput[]).map(nameOf)
}

/** The request as far as the class of the model tells what it sends. */
function requestOf(messages: readonly BaseMessage[], params: unknown): ModelInput {
  const { tools, response_format } = (params ?? {}) as { tools?: unknown; response_format?: unknown }
  return {
    messages,
    tools: Array.isArray(tools) ? tools.filter(isObject) : undefined,
    responseFormat: response_format,
  }
}
