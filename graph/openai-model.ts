import type { BaseMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk } from '@langchain/core/outputs'
import { ChatOpenAICompletions, type ChatOpenAICompletionsCallOptions } from '@langchain/openai'
import type { OpenAI } from 'openai'
import { boundedFetch } from './bounded-fetch.ts'
import { JsonEndpoint } from './json-post.ts'
import { type Chunk, type Completion, checked, checkedStream } from './openai-reply.ts'
import type { AskOptions } from './toolset.ts'

/** Settings of one model behind an OpenAI-compatible endpoint. */
export interface OpenAIModelSettings {
  readonly model: string
  readonly apiKey: string
  /** Up to and including `/v1`; absent: OpenAI's own. */
  readonly baseUrl?: string | undefined
  /** Absent: the provider's default; some models refuse any other. */
  readonly temperature?: number | undefined
}

const OPENAI_URL = 'https://api.openai.com/v1'

type CallOptions = ChatOpenAICompletionsCallOptions & Pick<AskOptions, 'maxTokens'>

/**
 * LangChain's chat completions client with what a metered run needs besides: a token cap for each call
 * (`maxTokens`), and replies that are checked before they are believed. It never retries by itself. Whole replies come
 * over a connection of our own, streams over that of the openai SDK.
 */
export class OpenAIModel extends ChatOpenAICompletions<CallOptions> {
  // Else it would be written out, settings and all, for the handlers of each call.
  override lc_serializable = false
  readonly #endpoint: JsonEndpoint

  constructor(settings: OpenAIModelSettings) {
    super({
      model: settings.model,
      apiKey: settings.apiKey,
      maxRetries: 0,
      ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
      configuration: { baseURL: settings.baseUrl, fetch: boundedFetch },
    })
    const baseUrl = (settings.baseUrl ?? OPENAI_URL).replace(/\/+$/, '')
    this.#endpoint = new JsonEndpoint(`${baseUrl}/chat/completions`, {
      authorization: `Bearer ${settings.apiKey}`,
      'user-agent': 'agent-task-service',
    })
  }

  override invocationParams(options?: this['ParsedCallOptions'], extra?: { streaming?: boolean }) {
    const params = super.invocationParams(options, extra)
    if (options?.maxTokens === undefined) return params
    // The name of the cap depends on the model; the base class has chosen it.
    const cap = 'max_completion_tokens' in params ? 'max_completion_tokens' : 'max_tokens'
    return { ...params, [cap]: options.maxTokens }
  }

  override async completionWithRetry(
    request: OpenAI.Chat.ChatCompletionCreateParamsStreaming,
    options?: OpenAI.RequestOptions,
  ): Promise<AsyncIterable<Chunk>>
  override async completionWithRetry(
    request: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming,
    options?: OpenAI.RequestOptions,
  ): Promise<Completion>
  override async completionWithRetry(
    request: OpenAI.Chat.ChatCompletionCreateParams,
    options?: OpenAI.RequestOptions,
  ): Promise<AsyncIterable<Chunk> | Completion> {
    if (request.stream) return checkedStream(await super.completionWithRetry(request, options))
    const reply = await this.#endpoint.post(withoutExcess(request), options?.signal ?? undefined)
    return checked(reply as Completion)
  }

  protected override _convertCompletionsMessageToBaseMessage(
    message: OpenAI.ChatCompletionMessage,
    reply: OpenAI.ChatCompletion,
  ): BaseMessage {
    return withRefusal(super._convertCompletionsMessageToBaseMessage(message, reply), message.refusal)
  }

  protected override _convertCompletionsDeltaToBaseMessageChunk(
    ...[delta, ...rest]: Parameters<ChatOpenAICompletions['_convertCompletionsDeltaToBaseMessageChunk']>
  ) {
    return withRefusal(super._convertCompletionsDeltaToBaseMessageChunk(delta, ...rest), delta.refusal)
  }

  /** LangChain puts into the message of a whole reply why it finished, of a stream not. */
  override async *_streamResponseChunks(
    ...args: Parameters<ChatOpenAICompletions<CallOptions>['_streamResponseChunks']>
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const chunk of super._streamResponseChunks(...args)) {
      const finish_reason: unknown = chunk.generationInfo?.finish_reason
      if (finish_reason) Object.assign(chunk.message.response_metadata, { finish_reason })
      yield chunk
    }
  }
}

/** Which LangChain leaves out. Pieces of it are put together as those of a text are. */
function withRefusal<Message extends BaseMessage>(message: Message, refusal: unknown): Message {
  if (typeof refusal === 'string') message.additional_kwargs.refusal = refusal
  return message
}

/** The request without what LangChain adds to the protocol: a name on a tool's result, and that it is no stream. */
function withoutExcess({ stream: _, messages, ...rest }: OpenAI.Chat.ChatCompletionCreateParams): object {
  const plain = messages.map(message => {
    return message.role === 'tool' && 'name' in message ? { ...message, name: undefined } : message
  })
  return { ...rest, messages: plain }
}
