import { isDeepStrictEqual } from 'node:util'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type AIMessageChunkFields, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { describeCap } from '../run/budget.ts'
import { RunFailure } from '../run/failure.ts'
import { runOf } from '../run/run.ts'
import { type Api, type Dialect, dialectIn, dialectOf, mayBeQuoted } from './openai-model/dialect.ts'
import { readReply } from './openai-model/read-reply.ts'
import { ReplyReader } from './openai-model/reply.ts'
import { type Call, type RequestSettings, requestBody, type WireTool } from './openai-model/request.ts'
import { ResponseReader, responsesBody } from './openai-model/responses.ts'
import { post } from './openai-model/transport.ts'

/** Settings of one model behind an endpoint that speaks one of OpenAI's APIs. */
export interface OpenAIModelSettings extends RequestSettings {
  readonly apiKey: string
  /** Up to and including `/v1`, or the full URL; a query is kept. Absent: OpenAI's. */
  readonly baseUrl?: string | undefined
  /** Absent or `auto`: Responses on OpenAI's own endpoint, chat completions elsewhere, or what a refusal points to. */
  readonly api?: Api | 'auto' | undefined
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

interface Options extends BaseChatModelCallOptions {
  readonly tools?: readonly WireTool[]
  readonly response_format?: unknown
}

export const OPENAI_URL = 'https://api.openai.com/v1'

/**
 * A chat model behind an OpenAI-compatible endpoint, asked through chat completions or the Responses API. When a turn goes
 * back to the model it came from, it carries all the extra members its provider added. Does not retry; the caller does.
 *
 * @example
 * const model = new OpenAIModel({ model: 'qwen3', apiKey: 'none', baseUrl: 'http://localhost:11434/v1' })
 */
export class OpenAIModel extends BaseChatModel<Options> {
  readonly #settings: OpenAIModelSettings
  readonly #endpoint: string

  constructor(settings: OpenAIModelSettings) {
    super({})
    this.#settings = settings
    this.#endpoint = settings.baseUrl ?? OPENAI_URL
  }

  override _llmType(): string {
    return 'openai'
  }

  override getLsParams({ stop }: this['ParsedCallOptions']) {
    const { model, temperature, maxTokens } = this.#settings
    return {
      ls_model_type: 'chat' as const,
      ls_provider: 'openai',
      ls_model_name: model,
      ...(temperature !== undefined && { ls_temperature: temperature }),
      ...(maxTokens !== undefined && { ls_max_tokens: maxTokens }),
      ...(stop && { ls_stop: stop }),
    }
  }

  /** For traces, and for start-up, which checks that the cap got through. */
  override invocationParams({ tools, tool_choice }: Partial<Options> = {}) {
    const { model, temperature, maxTokens: max_tokens } = this.#settings
    return { model, temperature, max_tokens, tools, tool_choice }
  }

  override bindTools(tools: BindToolsInput[], options: Partial<Options> = {}) {
    return this.withConfig({ ...options, tools: tools.map(wireTool) })
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const message = await this.#reply(messages, options, false)
    return { generations: [{ text: message.text, message }] }
  }

  /** Reports the parts of the reply and yields it whole: with each part, LangChain would parse all arguments so far. */
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const message = await this.#reply(messages, options, true, async part => {
      const message = new AIMessageChunk(part)
      const chunk = new ChatGenerationChunk({ text: message.text, message })
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    })
    yield new ChatGenerationChunk({ text: message.text, message })
  }

  async #reply(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    stream: boolean,
    report = async (_part: AIMessageChunkFields) => {},
  ): Promise<AIMessageChunk> {
    const { api: setting = 'auto', model, apiKey, headers } = this.#settings
    const run = runOf() ?? {}
    const learnt = dialectOf(model, this.#endpoint)
    const tried: Dialect[] = []
    for (;;) {
      const dialect = learnt.factsFor(run)
      const api = setting === 'auto' ? (dialect.api ?? apiAt(this.#endpoint)) : setting
      tried.push({ ...dialect, api })
      const url = urlOf(this.#endpoint, api)
      // Identifies the model a turn comes from; another would refuse or misread the provider's extra members.
      const origin = `${model} at ${url}`
      const body = this.#body({ messages, options, stream, origin, dialect }, api)
      const Reader = api === 'chat' ? ReplyReader : ResponseReader
      try {
        const reply = await readReply(
          new Reader(origin, (options.tools?.length ?? 0) > 0),
          options.signal,
          signal => post(url, { ...credentialsFor(url, apiKey), ...headers }, body, signal),
          report,
        )
        learnt.succeeded(run, dialect)
        return new AIMessageChunk(reply)
      } catch (error) {
        // Only a refusal, of which no part has been reported, teaches anything.
        const facts = dialectIn(error, body, setting === 'auto' ? api : undefined)
        const next = { ...dialect, api, ...facts }
        if (tried.some(each => isDeepStrictEqual(each, next))) throw error
        learnt.learn(run, facts, !mayBeQuoted(messages))
      }
    }
  }

  #body(call: Call, api: Api): string {
    if (api === 'chat') return requestBody(call, this.#settings)
    const { maxTokens = LEAST_CAP } = this.#settings
    if (maxTokens < LEAST_CAP) {
      const limits = runOf()?.limits ?? { maxOutputTokens: maxTokens }
      throw new RunFailure('max_tokens', `${describeCap(limits)} was used up before there was an answer`)
    }
    return responsesBody(call, this.#settings)
  }
}

/** The least `max_output_tokens` that OpenAI accepts. */
const LEAST_CAP = 16

const wireTools = new WeakMap<object, WireTool>()

function wireTool(tool: BindToolsInput): WireTool {
  const known = wireTools.get(tool) ?? (convertToOpenAITool(tool as never) as WireTool)
  // The name of its dialect tells a model nothing.
  if (known.function.parameters) Reflect.deleteProperty(known.function.parameters, '$schema')
  wireTools.set(tool, known)
  return known
}

function apiAt(endpoint: string): Api {
  return new URL(endpoint).hostname === 'api.openai.com' ? 'responses' : 'chat'
}

function urlOf(baseUrl: string, api: Api): string {
  const url = new URL(baseUrl)
  const path = api === 'chat' ? '/chat/completions' : '/responses'
  url.pathname = url.pathname.replace(/(\/chat\/completions|\/responses)?\/*$/, path)
  return url.href
}

/** Azure's classic URLs, which name a deployment, expect the key in the header `api-key`. */
function credentialsFor(url: string, apiKey: string): Record<string, string> {
  return /\/openai\/deployments\//.test(url) ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` }
}
