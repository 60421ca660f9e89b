import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type AIMessageChunkFields, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { runOf } from '../run/run.ts'
import { type Dialect, dialectIn, dialectOf, isRefusal, mayBeQuoted } from './openai-model/dialect.ts'
import { partsOf } from './openai-model/parts.ts'
import { ReplyReader } from './openai-model/reply.ts'
import { type RequestSettings, requestBody, type WireTool } from './openai-model/request.ts'
import { post } from './openai-model/transport.ts'

/** Settings of one model behind an endpoint that speaks OpenAI's chat completions. */
export interface OpenAIModelSettings extends RequestSettings {
  readonly apiKey: string
  /** Up to and including `/v1`, or the full URL; a query is kept. Absent: OpenAI's. */
  readonly baseUrl?: string | undefined
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

interface CallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly WireTool[]
}

const OPENAI_URL = 'https://api.openai.com/v1'

/**
 * A chat model behind an OpenAI-compatible endpoint. When a turn goes back to the model it came from, it carries all the
 * extra members its provider added. Does not retry; the caller does.
 *
 * @example
 * const model = new OpenAIModel({ model: 'qwen3', apiKey: 'none', baseUrl: 'http://localhost:11434/v1' })
 */
export class OpenAIModel extends BaseChatModel<CallOptions> {
  readonly #settings: OpenAIModelSettings
  readonly #url: string

  constructor(settings: OpenAIModelSettings) {
    super({})
    this.#settings = settings
    this.#url = completionsUrl(settings.baseUrl ?? OPENAI_URL)
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
  override invocationParams({ tools, tool_choice }: Partial<CallOptions> = {}) {
    const { model, temperature, maxTokens: max_tokens } = this.#settings
    return { model, temperature, max_tokens, tools, tool_choice }
  }

  override bindTools(tools: BindToolsInput[], options: Partial<CallOptions> = {}) {
    return this.withConfig({ ...options, tools: tools.map(wireTool) })
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    let whole: AIMessageChunk | undefined
    for await (const { message } of this.#chunks(messages, options, false))
      whole = whole?.concat(message as AIMessageChunk) ?? (message as AIMessageChunk)
    const message = whole ?? new AIMessageChunk('')
    return { generations: [{ text: message.text, message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const chunk of this.#chunks(messages, options, true)) {
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
      yield chunk
    }
  }

  async *#chunks(messages: BaseMessage[], options: this['ParsedCallOptions'], stream: boolean) {
    const { model, apiKey, headers } = this.#settings
    const generation = (fields: AIMessageChunkFields) =>
      new ChatGenerationChunk({ text: fields.content as string, message: new AIMessageChunk(fields) })
    const learnt = dialectOf(model, this.#origin)
    const run = runOf() ?? {}
    const written = (dialect: Dialect) =>
      requestBody(messages, options, this.#settings, stream, this.#origin, dialect)
    for (const sent = new Set<string>(); ; ) {
      const dialect = learnt.factsFor(run)
      const body = written(dialect)
      const reader = new ReplyReader(this.#origin, (options.tools?.length ?? 0) > 0)
      try {
        const sentHeaders = { ...credentialsFor(this.#url, apiKey), ...headers }
        const parts = partsOf(reader, options.signal, signal => post(this.#url, sentHeaders, body, signal))
        for await (const part of parts) yield generation(part)
        learnt.succeeded(run, dialect)
        return
      } catch (error) {
        // Only a refused request is sent again, since none of its reply has been passed on.
        if (!isRefusal(error)) throw error
        sent.add(body)
        learnt.learn(run, dialectIn(error, body), !mayBeQuoted(messages))
        if (sent.has(written(learnt.factsFor(run)))) throw error
      }
    }
  }

  /** Identifies the model a turn comes from; another model would refuse or misread the provider's extra members. */
  get #origin(): string {
    return `${this.#settings.model} at ${this.#url}`
  }
}

const wireTools = new WeakMap<object, WireTool>()

function wireTool(tool: BindToolsInput): WireTool {
  const known = wireTools.get(tool) ?? (convertToOpenAITool(tool as never) as WireTool)
  // The name of its dialect tells a model nothing.
  if (known.function.parameters) Reflect.deleteProperty(known.function.parameters, '$schema')
  wireTools.set(tool, known)
  return known
}

function completionsUrl(baseUrl: string): string {
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/(\/chat\/completions)?\/*$/, '/chat/completions')
  return url.href
}

/** Azure's classic URLs, which name a deployment, expect the key in the header `api-key`. */
function credentialsFor(url: string, apiKey: string): Record<string, string> {
  return /\/openai\/deployments\//.test(url) ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` }
}
