import type { BaseMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk } from '@langchain/core/outputs'
import { ChatOpenAICompletions, type ChatOpenAICompletionsCallOptions } from '@langchain/openai'
import type { OpenAI } from 'openai'
import { boundedFetch } from './bounded-fetch.ts'
import { type Chunk, type Completion, checked, checkedStream } from './openai-reply.ts'

/** Settings of one model behind an OpenAI-compatible endpoint. */
export interface OpenAIModelSettings {
  readonly model: string
  readonly apiKey: string
  /** Up to and including `/v1`; absent: OpenAI's own. */
  readonly baseUrl?: string | undefined
  /** Absent: the provider's default; some models refuse any other. */
  readonly temperature?: number | undefined
  /** Tokens that one call may generate; absent: the provider's limit. */
  readonly maxTokens?: number | undefined
}

/**
 * LangChain's chat completions client with replies that are checked before they are believed, and mended where servers
 * deviate from the protocol. It never retries by itself.
 */
export class OpenAIModel extends ChatOpenAICompletions<ChatOpenAICompletionsCallOptions> {
  constructor({ model, apiKey, baseUrl, temperature, maxTokens }: OpenAIModelSettings) {
    super({
      model,
      apiKey,
      maxRetries: 0,
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
      configuration: { baseURL: baseUrl, fetch: boundedFetch },
    })
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
    const messages = request.messages.map(withoutName)
    return request.stream
      ? checkedStream(await super.completionWithRetry({ ...request, messages }, options))
      : checked(await super.completionWithRetry({ ...request, messages }, options))
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
    ...args: Parameters<ChatOpenAICompletions['_streamResponseChunks']>
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const chunk of super._streamResponseChunks(...args)) {
      const { finish_reason, model_name } = chunk.generationInfo ?? {}
      if (finish_reason) Object.assign(chunk.message.response_metadata, { finish_reason, model_name })
      yield chunk
    }
  }
}

/** LangChain puts a name on the result of a tool; the protocol has none there. */
function withoutName(
  message: OpenAI.Chat.ChatCompletionMessageParam,
): OpenAI.Chat.ChatCompletionMessageParam {
  if (message.role !== 'tool' || !('name' in message)) return message
  const { name: _, ...rest } = message
  return rest as OpenAI.Chat.ChatCompletionToolMessageParam
}

/** Keeps the refusal, which LangChain drops; those of a stream's chunks concatenate like text. */
function withRefusal<Message extends BaseMessage>(message: Message, refusal: unknown): Message {
  if (typeof refusal === 'string') message.additional_kwargs.refusal = refusal
  return message
}
