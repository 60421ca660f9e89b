import { nameOf } from '@agent-task-service/messages/offered-tools'
import { isObject, textIn } from '@agent-task-service/wire/untrusted'
import type {
  BaseLanguageModelInput,
  StructuredOutputMethodOptions,
} from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import {
  assembleStructuredOutputPipeline,
  createContentParser,
  createFunctionCallingParser,
} from '@langchain/core/language_models/structured_output'
import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  type MessageContent,
} from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { ensureConfig, mergeConfigs, type RunnableConfig } from '@langchain/core/runnables'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { RunFailure } from '../failures/run-failure.ts'
import { kindOf, SetupError } from '../failures/setup-error.ts'
import type { LimitReason } from '../failures/stop-reason.ts'
import type { Call } from '../journal/call.ts'
import type { ContextConfig } from '../run/context.ts'
import { countTokens } from '../run/count-tokens.ts'
import type { Price } from '../run/price.ts'
import { type Run, runOf } from '../run/run.ts'
import type { CallMetadata } from '../run/run-callback-handler.ts'
import { listedTools } from '../search/tool-search.ts'
import { callableTools, guardDeclared } from '../tools/guarded-tools.ts'
import { withAnsweredCalls } from './answered-calls.ts'
import { type Answered, askModels } from './attempts.ts'
import { idsIn, ListedModel } from './listed-model.ts'
import { forces, type ModelCall } from './model-call.ts'
import type { ModelEntry } from './model-entry.ts'
import { messageOf, type RecordedReply, ReplayedModel, recordedReply, recordOf } from './recorded-reply.ts'
import { requestDigest } from './request-digest.ts'
import { isOpenAICompatible } from './written-calls.ts'

interface ModelCallOptions extends BaseChatModelCallOptions {
  readonly tools?: BindToolsInput[]
  /** Throw `SoftDeadlinePassed` if the call stalls past the soft deadline; the caller then asks for the answer instead. */
  readonly endsAtSoftDeadline?: boolean
  /** The limit because of which the model is asked for an answer; the log has it as the reason why the run ended. */
  readonly wrapUp?: LimitReason | undefined
  /** 0: the same request is not sent again. */
  readonly maxRetries?: number
  /** The form of the answer, in OpenAI's words; passed on as it is. */
  readonly response_format?: unknown
}

/** A cap that no class has by default; if it turns up in a model's settings, the cap got through. */
const PROBE = 4_711

/**
 * The list of models that an agent's `models` returned.
 *
 * @throws {SetupError} if it is none
 */
export function expectEntries(made: readonly ModelEntry[]): readonly ModelEntry[] {
  const expected = 'expected createModels() to return a list of { name, create }, got'
  if (!Array.isArray(made)) throw new SetupError(`${expected} ${kindOf(made)}`)
  const at = made.findIndex(entry => typeof entry?.create !== 'function')
  if (at >= 0) throw new SetupError(`${expected} ${kindOf(made[at])} in it`)
  return made
}

/**
 * Combines the models of the list into one.
 *
 * @param writtenCalls tools with side effects that run even if their call was written as text, or `*`
 * @throws {SetupError} for a model that ignores a call's cap, since `max_tokens` is part of the interface
 *
 * @example
 * const model = createModel([{ name: 'claude', create: cap => new ChatAnthropic({ apiKey, maxRetries: 0, ...cap }) }], [])
 */
export function createModel(
  entries: readonly ModelEntry[],
  writtenCalls: readonly string[],
): ModelWithFallbacks {
  for (const { name, create } of entries) {
    const wrong = (problem: string) => new SetupError(`the model ${JSON.stringify(name)}: ${problem}`)
    let model: BaseChatModel
    try {
      model = create({ maxTokens: PROBE })
    } catch (error) {
      throw wrong((error as Error).message)
    }
    if (typeof model?.invocationParams !== 'function')
      throw wrong(`expected create() to return a chat model, got ${kindOf(model)}`)
    const params = [model, model.invocationParams({})].flatMap(each => Object.values(each ?? {}))
    if (!params.includes(PROBE))
      throw wrong(
        `expected create() to pass { maxTokens } to ${model.getName()}, got a model without it; in tests, ScriptedModel takes it`,
      )
  }
  return new ModelWithFallbacks(entries, writtenCalls)
}

let calls = 0

/**
 * The models of the list as one chat model. Tries them in order, with retries and fallbacks, within the run's time and
 * budget. LangChain's callbacks report each try as a call of the model tried. Every call counts in its run, whatever
 * callbacks and signal the caller passes.
 */
export class ModelWithFallbacks extends BaseChatModel<ModelCallOptions> {
  readonly models: readonly ListedModel[]

  constructor(entries: readonly ModelEntry[], writtenCalls: readonly string[]) {
    super({})
    this.models = entries.map(entry => new ListedModel(entry, writtenCalls))
    // Assigned, because TypeScript cannot tell which of the method's many types this one fits.
    this.withStructuredOutput = this.#structured.bind(this) as never
  }

  /**
   * As ChatOpenAI does it, except that `functionCalling` is the default, which more servers understand.
   *
   * @param form of Zod or another library, JSON Schema, or a function of OpenAI's
   */
  #structured(form: unknown, options: StructuredOutputMethodOptions<boolean> = {}) {
    const { name: requestedName, method = 'functionCalling', strict, includeRaw } = options
    const json = toJsonSchema(form as never) as Readonly<Record<string, unknown>>
    const name = requestedName ?? textIn(json.name) ?? 'extract'
    const description = textIn(json.description)
    const schema = isObject(json.parameters) ? json.parameters : json
    if (method === 'functionCalling') {
      const tool = { type: 'function', function: { name, description, parameters: schema } } as const
      const bound = this.bindTools([tool], { tool_choice: name })
      const parser = createFunctionCallingParser(form as never, name)
      return assembleStructuredOutputPipeline(bound, parser, includeRaw, 'StructuredOutput')
    }
    const json_schema = { name, description, schema, strict }
    const response_format =
      method === 'jsonMode' ? { type: 'json_object' } : { type: 'json_schema', json_schema }
    const parser = createContentParser(form as never)
    const bound = this.withConfig({ response_format })
    return assembleStructuredOutputPipeline(bound, parser, includeRaw, 'StructuredOutput')
  }

  /** What calls of the listed model of this name cost; `undefined` if unknown. */
  async priceOf(name: string): Promise<Price | undefined> {
    return await this.models.find(({ entry }) => entry.name === name)?.entry.price?.()
  }

  override _llmType(): string {
    return 'with_fallbacks'
  }

  /** In o200k_base, as the metrics count, for LangChain's `trimMessages`; its own way fetches a vocabulary from the internet. */
  override async getNumTokens(content: MessageContent): Promise<number> {
    return await countTokens(new HumanMessage({ content }).text)
  }

  /**
   * Tools that declare what they do go by the agent's rules from now on.
   *
   * @throws {RunFailure} for a tool that its provider would run, which our own class does not pass on
   */
  override bindTools(tools: BindToolsInput[], options: Partial<ModelCallOptions> = {}) {
    const ofProvider = tools.find(isOfProvider)
    if (ofProvider && this.models.some(({ uncapped }) => isOpenAICompatible(uncapped)))
      throw new RunFailure(
        'internal',
        `parts.model passes on no tool that a provider runs, such as ${ofProvider.type}: use a chat class of the provider for it`,
      )
    tools.forEach(guardDeclared)
    return this.withConfig({ ...options, tools } as Partial<ModelCallOptions>)
  }

  /**
   * @returns the normalized reply: its id and those of its tool calls are unique
   * @throws {RunFailure} if no model answers or the run has ended
   */
  override async invoke(
    input: BaseLanguageModelInput,
    options: Partial<ModelCallOptions> = {},
  ): Promise<AIMessageChunk> {
    const call = this.#callOf(input, options)
    const { run } = call
    const ask = () => askModels(this.models, call)
    const { reply } = await (run ? run.journal.once(this.#recorded(call, run), ask) : ask())
    return reply
  }

  #recorded(call: ModelCall, run: Run): Call<Answered> {
    const names = this.models.map(({ entry }) => entry.name)
    const isLate = run.budget.isPastSoftDeadline
    return {
      modelStep: run.meter.steps + 1,
      digest: () => requestDigest(call, names, call.config),
      replay(outcome) {
        const { data } = recordedReply.safeParse(outcome.kind === 'done' && outcome.result)
        return data && replay(data, call, run)
      },
      record(ended) {
        if (ended.status === 'rejected') return undefined
        const { reply, model } = ended.value
        const usage = run.callbackHandler.usageOf(call.number)
        return { kind: 'done', result: { message: recordOf(reply, call.tools), model, isLate, usage } }
      },
    }
  }

  #callOf(input: BaseLanguageModelInput, options: Partial<ModelCallOptions>): ModelCall {
    const run = runOf(options as RunnableConfig)
    const own = inRun(options, run)
    const { tools = [], tool_choice, endsAtSoftDeadline = false, wrapUp, maxRetries, ...config } = own
    calls += 1
    const messages = withAnsweredCalls(BaseChatModel._convertInputToPromptValue(input).toChatMessages())
    return {
      messages,
      ...offerOf(tools, tool_choice, messages, config),
      config,
      // A new signal per call, so that its listeners are freed with it.
      signal: AbortSignal.any([config.signal, run?.controller.signal].filter(signal => signal !== undefined)),
      run,
      number: calls,
      mayRetry: maxRetries !== 0,
      attempts: 0,
      endsAtSoftDeadline,
      wrapUp,
      wasPastSoftDeadline: run?.journal.steps.wasPastSoftDeadline,
    }
  }

  /** Yields the reply as one chunk, because a retry could not take back pieces already passed on. */
  override async *_streamIterator(
    input: BaseLanguageModelInput,
    options?: Partial<ModelCallOptions>,
  ): AsyncGenerator<AIMessageChunk> {
    yield await this.invoke(input, options)
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const message = await this.invoke(messages, options)
    return { generations: [{ text: message.text, message }] }
  }
}

/** Answers a call as it was answered before the run was taken over. */
async function replay(known: RecordedReply, call: ModelCall, run: Run): Promise<Answered> {
  const { messages, config, signal, number, wrapUp } = call
  const reply = messageOf(known, call.tools)
  const metadata: CallMetadata = {
    model: known.model,
    attempt: 1,
    call: number,
    wrap_up: wrapUp,
    replayed: known.usage,
    past_soft_deadline: known.isLate,
  }
  for (const id of idsIn([reply])) run.replyIds.add(id)
  const model = new ReplayedModel(reply)
  const options = { ...config, metadata: { ...config.metadata, ...metadata }, signal }
  await run.inTurn(() => model.invoke(messages, options))
  return { reply, model: known.model }
}

/** What the call offers of the tools and the choice among them that a graph has bound, given those that the run leaves out. */
function offerOf(
  bound: readonly BindToolsInput[],
  choice: unknown,
  messages: readonly BaseMessage[],
  config: ContextConfig,
): Pick<ModelCall, 'tools' | 'binding'> {
  const tools = listedTools(callableTools(bound, config), messages, config)
  const isLeftOut = bound.some(tool => !tools.includes(tool) && forces(choice, nameOf(tool)))
  return { tools, binding: choice === undefined || isLeftOut ? {} : { tool_choice: choice } }
}

function isOfProvider(tool: BindToolsInput): tool is BindToolsInput & { readonly type: string } {
  return 'type' in tool && typeof tool.type === 'string' && tool.type !== 'function' && !('invoke' in tool)
}

/** Adds the run's callback handler to the call's config, so that a call with its own handlers is still counted. */
function inRun(options: Partial<ModelCallOptions>, run: Run | undefined): Partial<ModelCallOptions> {
  const config = ensureConfig(options as RunnableConfig) as Partial<ModelCallOptions>
  const handlers = Array.isArray(config.callbacks) ? config.callbacks : (config.callbacks?.handlers ?? [])
  if (!run || handlers.includes(run.callbackHandler)) return config
  return mergeConfigs(config, { callbacks: [run.callbackHandler] }) as Partial<ModelCallOptions>
}
