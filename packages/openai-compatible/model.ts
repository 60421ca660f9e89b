import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { type Api, type ApiChoice, type ApiSetting, apiChoiceFor } from './api.ts'
import { isRefusal, mayBeQuoted, quirksIn, quirksOf } from './endpoint-quirks.ts'
import type { Host } from './host.ts'
import { plainText } from './message-text.ts'
import { partsOf } from './parts.ts'
import { ReplyReader } from './reply.ts'
import { type ApiCall, type RequestSettings, requestBody, type WireTool } from './request.ts'
import { post } from './transport.ts'

/** Settings of one model behind an endpoint that speaks one of OpenAI's APIs. */
export interface OpenAICompatibleSettings extends RequestSettings {
  readonly apiKey: string
  /** Up to and including `/v1`, or the full URL; a query is kept. Absent: OpenAI's. */
  readonly baseUrl?: string | undefined
  /** Absent: `auto`. */
  readonly api?: ApiSetting | undefined
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

interface Options extends BaseChatModelCallOptions {
  readonly tools?: readonly WireTool[]
  readonly response_format?: unknown
}

export type { Host }
export const OPENAI_URL = 'https://api.openai.com/v1'

/**
 * A chat model behind an OpenAI-compatible endpoint, asked through chat completions or the Responses API. When a turn goes back to the model it came from, it carries all the
 * extra members its provider added. Does not retry; the caller does.
 *
 * @example
 * const model = new OpenAICompatibleModel({ model: 'qwen3', apiKey: 'none', baseUrl: 'http://localhost:11434/v1' })
 */
export class OpenAICompatibleModel extends BaseChatModel<Options> {
  readonly #settings: OpenAICompatibleSettings
  readonly #host: Host
  readonly #endpoint: string
  readonly #apiChoice: ApiChoice

  constructor(settings: OpenAICompatibleSettings, host: Host = {}) {
    super({})
    this.#settings = settings
    this.#host = host
    const { api = 'auto', model, baseUrl = OPENAI_URL } = settings
    this.#endpoint = baseUrl
    this.#apiChoice = apiChoiceFor(api, model, baseUrl)
    // Loaded while the service starts rather than in its first run.
    if (this.#apiChoice.of(this) === 'responses') void importResponses()
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
  override invocationParams({ tools, tool_choice, response_format }: Partial<Options> = {}) {
    const { model, temperature, maxTokens: max_tokens } = this.#settings
    return { model, temperature, max_tokens, tools, tool_choice, response_format }
  }

  override bindTools(tools: BindToolsInput[], options: Partial<Options> = {}) {
    return this.withConfig({ ...options, tools: tools.map(wireTool) })
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    let whole: AIMessageChunk | undefined
    for await (const { message } of this.#chunks(messages, options, false))
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
      yield chunk
    }
  }

  async *#chunks(messages: BaseMessage[], options: this['ParsedCallOptions'], stream: boolean) {
    const { model } = this.#settings
    const run = this.#host.run?.() ?? {}
    for (const sent = new Set<string>(); ; ) {
      const api = this.#apiChoice.of(run)
      const url = urlOf(this.#endpoint, api)
      // Identifies the model a turn comes from; another would refuse or misread the provider's extra members.
      const origin = `${model} at ${url}`
      const learnt = quirksOf(origin)
      const quirks = learnt.factsFor(run)
      sent.add(JSON.stringify([api, quirks]))
      let hasBegun = false
      try {
        const ask = api === 'responses' ? this.#responses : this.#completions
        for await (const fields of ask.call(this, { messages, options, stream, url, origin, quirks })) {
          hasBegun = true
          yield new ChatGenerationChunk({
            text: fields.content as string,
            message: new AIMessageChunk(fields),
          })
        }
        const proven = learnt.succeeded(run, quirks)
        if (proven) this.#host.onLearnt?.(run, model, { ...proven })
        if (this.#apiChoice.answered(run)) this.#host.onLearnt?.(run, model, { api })
        return
      } catch (error) {
        // Only a refused request is sent again, since none of its reply has been passed on.
        if (hasBegun) throw error
        if (this.#apiChoice.change(run, error, messages)) continue
        if (!isRefusal(error)) throw error
        const body = requestBody(messages, options, this.#settings, stream, origin, quirks)
        learnt.learn(run, quirksIn(error, body), !mayBeQuoted(messages))
        if (sent.has(JSON.stringify([api, learnt.factsFor(run)]))) throw error
      }
    }
  }

  async *#completions({ messages, options, stream, url, origin, quirks }: ApiCall) {
    const reader = new ReplyReader(origin, options)
    const body = requestBody(messages, options, this.#settings, stream, origin, quirks)
    yield* partsOf(reader, options.signal, signal => this.#post(url, body, signal))
  }

  async *#responses(call: ApiCall) {
    const { ResponsesApi } = await importResponses()
    const send = (body: string) => eachOf(this.#post(call.url, body, call.options.signal))
    yield* new ResponsesApi(this.#settings, call, send, this.#host).reply()
  }

  #post(url: string, body: string, signal: AbortSignal | undefined) {
    const { apiKey, headers } = this.#settings
    return post(url, { ...credentialsFor(url, apiKey), ...headers }, body, signal, this.#host.turn)
  }
}

async function* eachOf(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<unknown> {
  for await (const chunks of batches) yield* chunks
}

/** Only who asks over this API loads LangChain's class. */
const importResponses = () => import('./responses.ts')

const wireTools = new WeakMap<object, WireTool>()

function wireTool(tool: BindToolsInput): WireTool {
  const known = wireTools.get(tool) ?? (convertToOpenAITool(tool as never) as WireTool)
  // The name of its dialect tells a model nothing.
  if (known.function.parameters) Reflect.deleteProperty(known.function.parameters, '$schema')
  wireTools.set(tool, known)
  return known
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
