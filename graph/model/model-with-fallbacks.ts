import { setTimeout as sleep } from 'node:timers/promises'
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import type { AIMessage, AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { ensureConfig, mergeConfigs, type RunnableConfig } from '@langchain/core/runnables'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { RunFailure } from '../run/failure.ts'
import { fairShare } from '../run/fair-share.ts'
import type { CallMetadata } from '../run/recorder.ts'
import { type Run, runOf } from '../run/run.ts'
import type { ModelEntry } from './models.ts'
import { backoffMs, judge, LONGEST_WAIT_BEFORE_FALLBACK_MS, MAX_ATTEMPTS } from './retry.ts'
import { tidyReply } from './tidy-reply.ts'

export interface ModelCallOptions extends BaseChatModelCallOptions {
  readonly tools?: BindToolsInput[]
}

/** A model of the list that cannot be used as it is. `message` names it and says what was expected. */
export class ModelDefinitionError extends Error {
  override readonly name = 'ModelDefinitionError'
}

/** A cap that no class has by default: where it turns up, the cap has arrived. */
const PROBE = 4_711

/**
 * The models of the list as one.
 *
 * @throws {ModelDefinitionError} for a model that ignores the cap of a call: `max_tokens` is part of the interface
 */
export function createModel(entries: readonly ModelEntry[]): ModelWithFallbacks {
  for (const { name, create } of entries) {
    const wrong = (problem: string) =>
      new ModelDefinitionError(`the model ${JSON.stringify(name)}: ${problem}`)
    let model: BaseChatModel
    try {
      model = create({ maxTokens: PROBE })
    } catch (error) {
      throw wrong((error as Error).message)
    }
    const params = [model, model.invocationParams({})].flatMap(each => Object.values(each ?? {}))
    if (!params.includes(PROBE))
      throw wrong(`expected create() to hand { maxTokens } on to ${model.getName()}, got a model without it`)
  }
  return new ModelWithFallbacks(entries)
}

let calls = 0

/**
 * The models of the list as one chat model: asks them in order, with retries and fallbacks inside the run's time and
 * budget. LangChain's callbacks report each try as a call of the model that is asked. It counts in the run whatever
 * callbacks and signal a caller brings.
 */
export class ModelWithFallbacks extends BaseChatModel<ModelCallOptions> {
  readonly #entries: readonly ModelEntry[]

  constructor(entries: readonly ModelEntry[]) {
    super({})
    this.#entries = entries
    // LangChain's own offers the wanted shape as a tool; a model that need not call it may answer in text.
    const { withStructuredOutput } = this
    const bindTools = (tools: BindToolsInput[]) =>
      this.bindTools(tools, { tool_choice: convertToOpenAITool(tools[0] as never).function.name })
    this.withStructuredOutput = ((...args: Parameters<typeof withStructuredOutput>) =>
      withStructuredOutput.apply({ bindTools } as never, args)) as typeof withStructuredOutput
  }

  override _llmType(): string {
    return 'with_fallbacks'
  }

  override bindTools(tools: BindToolsInput[], options: Partial<ModelCallOptions> = {}) {
    return this.withConfig({ ...options, tools } as Partial<ModelCallOptions>)
  }

  /**
   * @returns the reply, tidied: every tool call has an id of its own, and so has the message
   * @throws {RunFailure} when no model answers, or the run has ended
   */
  override async invoke(
    input: BaseLanguageModelInput,
    options: Partial<ModelCallOptions> = {},
  ): Promise<AIMessageChunk> {
    const messages = BaseChatModel._convertInputToPromptValue(input).toChatMessages()
    const run = runOf(options as RunnableConfig)
    const { tools = [], ...config } = inRun(options, run)
    calls += 1
    const call = { config, call: calls, attempt: 0 }
    let failure: RunFailure | undefined
    const entries = this.#entries.filter(({ name }) => !run?.modelsGivenUp.has(name))
    for (const [index, entry] of entries.entries()) {
      const isLast = index === entries.length - 1
      for (let tries = 1; tries <= MAX_ATTEMPTS; tries += 1) {
        call.attempt += 1
        try {
          const reply = await this.#ask(entry, messages, tools, call, run)
          return tidyReply(reply, messages)
        } catch (error) {
          anyOf(config.signal, run?.end.signal).throwIfAborted()
          const verdict = judge(error)
          if (!verdict.retry) throw verdict.failure
          failure = verdict.failure
          const wait = verdict.retryAfterMs ?? backoffMs(tries)
          const left = run?.budget.timeLeftMs ?? Number.POSITIVE_INFINITY
          const longest = isLast ? left : Math.min(left, LONGEST_WAIT_BEFORE_FALLBACK_MS)
          if (tries === MAX_ATTEMPTS || wait >= longest) break
          await sleep(wait, undefined, { signal: anyOf(config.signal, run?.end.signal) })
        }
      }
      if (!isLast) run?.modelsGivenUp.add(entry.name)
    }
    throw failure ?? new RunFailure('internal', 'this agent has no model')
  }

  /** The reply as one chunk: a piece that was handed on could not be taken back by another try. */
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

  async #ask(
    entry: ModelEntry,
    messages: BaseMessage[],
    tools: BindToolsInput[],
    { config, call, attempt }: { config: RunnableConfig; call: number; attempt: number },
    run: Run | undefined,
  ): Promise<AIMessage> {
    const ask = async (maxTokens: number | undefined) => {
      const model = made(entry, maxTokens)
      const metadata: CallMetadata = { model: entry.name, attempt, call, max_tokens: maxTokens }
      await fairShare()
      const asked = tools.length > 0 && model.bindTools ? model.bindTools(tools) : model
      return (await asked.invoke(messages, {
        ...config,
        metadata: { ...config.metadata, ...metadata },
        signal: anyOf(config.signal, run?.end.signal),
      })) as AIMessage
    }
    return run ? await run.underCap(messages, ask) : await ask(undefined)
  }
}

function made(entry: ModelEntry, maxTokens: number | undefined): BaseChatModel {
  const model = entry.create(maxTokens === undefined ? {} : { maxTokens })
  if (entry.stream === false) model.disableStreaming = true
  return model
}

/** A call's own configuration with the run's handlers: a call that brings its own must not escape them. */
function inRun(options: Partial<ModelCallOptions>, run: Run | undefined): Partial<ModelCallOptions> {
  const config = ensureConfig(options as RunnableConfig) as Partial<ModelCallOptions>
  const handlers = Array.isArray(config.callbacks) ? config.callbacks : (config.callbacks?.handlers ?? [])
  if (!run || handlers.includes(run.recorder)) return config
  return mergeConfigs(config, { callbacks: [run.recorder] }) as Partial<ModelCallOptions>
}

/** Those of the signals that there are, as one of its own for each try: what listens to it goes with it. */
function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter(signal => signal !== undefined))
}
