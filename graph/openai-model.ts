import type { BaseMessage } from '@langchain/core/messages'
import { ChatOpenAICompletions, type ChatOpenAICompletionsCallOptions } from '@langchain/openai'
import type { OpenAI } from 'openai'
import { boundedFetch } from './bounded-fetch.ts'
import { ModelReplyError } from './model-error.ts'
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

type CallOptions = ChatOpenAICompletionsCallOptions & Pick<AskOptions, 'maxTokens'>
type Completion = OpenAI.Chat.Completions.ChatCompletion
type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk

/**
 * LangChain's chat completions client with what a metered run needs besides: a token cap for each call
 * (`maxTokens`), and replies that are checked before they are believed. It never retries by itself.
 */
export class OpenAIModel extends ChatOpenAICompletions<CallOptions> {
  constructor(settings: OpenAIModelSettings) {
    super({
      model: settings.model,
      apiKey: settings.apiKey,
      maxRetries: 0,
      ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
      configuration: { baseURL: settings.baseUrl, fetch: boundedFetch },
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
    return checked(
      await super.completionWithRetry(request as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, options),
    )
  }

  protected override _convertCompletionsMessageToBaseMessage(
    message: OpenAI.ChatCompletionMessage,
    reply: OpenAI.ChatCompletion,
  ): BaseMessage {
    const converted = super._convertCompletionsMessageToBaseMessage(message, reply)
    if (message.refusal && converted.text === '')
      converted.content = [{ type: 'refusal', refusal: message.refusal }]
    return converted
  }
}

/**
 * @throws {ModelReplyError} for a reply with no message (`{error}` or a web page with status 200, a cut body),
 * or with tool calls that name no function
 */
function checked(reply: Completion): Completion {
  const { choices, usage } = reply ?? {}
  const message = choices?.[0]?.message
  if (typeof message !== 'object' || message === null)
    throw new ModelReplyError('no message in the reply', { usage })
  const calls: unknown = message.tool_calls ?? []
  if (!Array.isArray(calls) || !calls.every(call => typeof call?.function === 'object'))
    throw new ModelReplyError('tool calls without a function in the reply', { usage })
  // LangChain's converter reads a role it does not know as no answer at all.
  message.role = 'assistant'
  return reply
}

/** @throws {ModelReplyError} for a stream that ends before the model said that it had finished. */
async function* checkedStream(chunks: AsyncIterable<Chunk>): AsyncIterable<Chunk> {
  let finished = false
  for await (const chunk of chunks) {
    if (chunk.choices?.[0]?.finish_reason) finished = true
    yield chunk
  }
  if (!finished) throw new ModelReplyError('the stream ended before the answer did')
}
