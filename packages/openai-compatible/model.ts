import { Asked } from '@agent-task-service/messages/asked'
import { plainText } from '@agent-task-service/messages/message-text'
import { wireTool } from '@agent-task-service/messages/offered-tools'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelParams,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import type { ModelProfile } from '@langchain/core/language_models/profile'
import { AIMessageChunk, type AIMessageChunkFields, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import type {
  Api,
  ApiCall,
  ApiSetting,
  CallOptions,
  EndpointQuirks,
  Host,
  RequestForm,
  RequestSettings,
} from './call.ts'
import { ChatReader } from './replies/chat-reader.ts'
import { type Receive, replyParts, type Sign } from './replies/end-of-reply.ts'
import { StreamedReply } from './replies/reply.ts'
import { ResponsesReader } from './replies/responses-reader.ts'
import { capNameOf, chatRequest } from './requests/chat-request.ts'
import { post } from './transport.ts'

/** What LangChain's base class is given. It keeps all of that in a property, where nothing secret belongs. */
const OF_BASE = ['cache', 'callbacks', 'metadata', 'outputVersion', 'tags', 'verbose'] as const

type OfBase = Pick<BaseChatModelParams, (typeof OF_BASE)[number] | 'disableStreaming'>

/** Settings of one model behind an endpoint that speaks one of OpenAI's APIs, and those of any chat model of LangChain's. */
export interface OpenAICompatibleSettings extends RequestSettings, OfBase {
  readonly apiKey: string
  /** Up to and including `/v1`, or the full URL; a query is kept. Absent: OpenAI's. */
  readonly baseUrl?: string | undefined
  /** Absent: `auto`. */
  readonly api?: ApiSetting | undefined
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export type { ApiSetting, EndpointQuirks, Host, RequestForm, RequestSettings }
export const OPENAI_URL = 'https://api.openai.com/v1'

/**
 * A chat model behind an OpenAI-compatible endpoint, asked through chat completions or the Responses API. When a turn goes
 * back to the model it came from, it carries all the extra members its provider added. Sends each request once; the caller
 * retries.
 *
 * @example
 * const model = new OpenAICompatibleModel({ model: 'qwen3', apiKey: 'none', baseUrl: 'http://localhost:11434/v1' })
 */
export class OpenAICompatibleModel extends BaseChatModel<CallOptions> {
  /** For start-up, which warns of settings that no model has. */
  readonly params: OpenAICompatibleSettings['params']
  readonly #settings: OpenAICompatibleSettings
  readonly #host: Host
  /** Its address, up to and including `/v1`, or the full URL. */
  readonly endpoint: string
  readonly #api: Api
  #profile: ModelProfile = {}

  constructor(settings: OpenAICompatibleSettings, host: Host = {}) {
    super(Object.fromEntries(OF_BASE.map(name => [name, settings[name]])))
    this.disableStreaming = settings.disableStreaming ?? false
    this.params = settings.params
    this.#settings = settings
    this.#host = host
    const { api = 'auto', baseUrl = OPENAI_URL } = settings
    this.endpoint = baseUrl
    const usual = new URL(baseUrl).hostname === 'api.openai.com' ? 'responses' : 'chat'
    this.#api = api === 'auto' ? usual : api
    // Loaded while the service starts rather than in its first run.
    if (this.#api === 'responses') void this.#learnProfile()
  }

  /** What LangChain's class knows of OpenAI's models, once it is loaded: the size of the context. */
  override get profile(): ModelProfile {
    return this.#profile
  }

  async #learnProfile(): Promise<void> {
    const { profileOf } = await importResponses()
    this.#profile = profileOf(this.#settings.model)
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
      ls_stop: stop,
    }
  }

  /** For traces, and for start-up, which checks that the cap got through. */
  override invocationParams({ tools, tool_choice, response_format }: Partial<CallOptions> = {}) {
    const { model, temperature, maxTokens: max_tokens } = this.#settings
    return { model, temperature, max_tokens, tools, tool_choice, response_format }
  }

  /** By which a cache tells the replies of one model from those of another. */
  override _identifyingParams() {
    return { ...this.invocationParams(), endpoint: this.endpoint, params: this.params }
  }

  override bindTools(tools: BindToolsInput[], options: Partial<CallOptions> = {}) {
    return this.withConfig({ ...options, tools: tools.map(wireTool) })
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    let whole: AIMessageChunk | undefined
    for await (const { message, generationInfo } of this.#chunks(messages, options, false))
      if (!generationInfo?.sign)
        whole = whole?.concat(message as AIMessageChunk) ?? (message as AIMessageChunk)
    const message = whole ?? new AIMessageChunk('')
    return { generations: [{ text: plainText(message), message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const chunk of this.#chunks(messages, options, true)) {
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
      if (!chunk.generationInfo?.sign) yield chunk
    }
  }

  async *#chunks(messages: BaseMessage[], options: this['ParsedCallOptions'], stream: boolean) {
    const { quirks = {} } = options
    const { api } = this.formOf(quirks)
    const url = urlOf(this.endpoint, api)
    // Identifies the model a turn comes from; another would refuse or misread the provider's extra members.
    const origin = `${this.#settings.model} at ${url}`
    const call = { api, messages, options, stream, url, origin, quirks }
    for await (const part of this.#replyTo(call)) yield typeof part === 'string' ? SIGNS[part] : chunkOf(part)
  }

  /** How it is asked, with such quirks. */
  formOf({ api = this.#api, capName = capNameOf(this.#settings.model) }: EndpointQuirks): RequestForm {
    return { api, capName, mayChangeApi: (this.#settings.api ?? 'auto') === 'auto' }
  }

  async *#replyTo(call: ApiCall): AsyncGenerator<AIMessageChunkFields | Sign> {
    const { options, origin, url } = call
    const reply = new StreamedReply(origin, options, new Asked(call.messages))
    if (call.api === 'chat') {
      yield* replyParts(
        new ChatReader(reply),
        options.signal,
        this.#post(url, chatRequest(call, this.#settings)),
      )
      return
    }
    const { responsesRequest, LEAST_CAP } = await importResponses()
    const post = this.#post(url, responsesRequest(call, this.#settings))
    const parts = replyParts(new ResponsesReader(reply), options.signal, post)
    const { maxTokens = LEAST_CAP } = this.#settings
    if (maxTokens < LEAST_CAP) yield await cutToCap(maxTokens, parts, this.#host)
    else yield* parts
  }

  #post(url: string, body: string): Receive {
    const { apiKey, headers } = this.#settings
    const all = { ...credentialsFor(url, apiKey), ...headers }
    return (signal, onChunks) => post(url, all, body, signal, this.#host.turn, onChunks)
  }
}

/** Tell callbacks of progress that is no part of the message. */
const SIGNS = { held: signOf('held'), finished: signOf('finished') } as const

function signOf(sign: Sign): ChatGenerationChunk {
  return new ChatGenerationChunk({ text: '', message: new AIMessageChunk(''), generationInfo: { sign } })
}

function chunkOf(part: AIMessageChunkFields): ChatGenerationChunk {
  return new ChatGenerationChunk({ text: part.content as string, message: new AIMessageChunk(part) })
}

/** Only who asks over this API loads LangChain's class. */
const importResponses = () => import('./requests/responses-request.ts')

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

/** A whole reply, cut as if the provider had accepted a lower cap. Its usage is what was billed. */
async function cutToCap(
  cap: number,
  parts: AsyncIterable<AIMessageChunkFields | Sign>,
  { firstTokens = async (text, limit) => text.slice(0, 4 * limit) }: Host,
): Promise<AIMessageChunkFields> {
  let reply = new AIMessageChunk('')
  for await (const part of parts) if (typeof part !== 'string') reply = reply.concat(new AIMessageChunk(part))
  const { id, additional_kwargs, response_metadata, usage_metadata } = reply
  const text = plainText(reply)
  const content = await firstTokens(text, cap)
  const isCut = content !== text || (usage_metadata?.output_tokens ?? 0) > cap
  const { provider_words: words, answer_starts_at: _, ...others } = additional_kwargs
  return {
    content,
    ...(id !== undefined && { id }),
    ...(!isCut && { tool_call_chunks: reply.tool_call_chunks }),
    additional_kwargs: isCut ? others : { ...others, provider_words: words },
    response_metadata: isCut ? { ...response_metadata, finish_reason: 'length' } : response_metadata,
    ...(usage_metadata && { usage_metadata }),
  }
}
