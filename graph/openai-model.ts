import type { BaseMessage } from '@langchain/core/messages'
import { ChatOpenAICompletions, type ChatOpenAICompletionsCallOptions } from '@langchain/openai'
import type { OpenAI } from 'openai'
import { z } from 'zod'
import { boundedFetch } from './bounded-fetch.ts'
import { type JsonEndpoint, postJson } from './json-post.ts'
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

const OPENAI_URL = 'https://api.openai.com/v1'

type CallOptions = ChatOpenAICompletionsCallOptions & Pick<AskOptions, 'maxTokens'>
type Completion = OpenAI.Chat.Completions.ChatCompletion
type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk

/**
 * LangChain's chat completions client with what a metered run needs besides: a token cap for each call
 * (`maxTokens`), and replies that are checked before they are believed. It never retries by itself. Whole replies come
 * over a connection of our own, streams over that of the openai SDK.
 */
export class OpenAIModel extends ChatOpenAICompletions<CallOptions> {
  readonly #endpoint: JsonEndpoint

  constructor(settings: OpenAIModelSettings) {
    super({
      model: settings.model,
      apiKey: settings.apiKey,
      maxRetries: 0,
      ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
      configuration: { baseURL: settings.baseUrl, fetch: boundedFetch },
    })
    this.#endpoint = {
      url: `${(settings.baseUrl ?? OPENAI_URL).replace(/\/+$/, '')}/chat/completions`,
      headers: { authorization: `Bearer ${settings.apiKey}`, 'user-agent': 'agent-task-service' },
    }
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
    return checked((await postJson(this.#endpoint, request, options?.signal ?? undefined)) as Completion)
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

/** What is used of a message; a content or a call of another shape would fail deep in LangChain, or read as "undefined". */
const usableMessage = z.object({
  content: z
    .union([
      z.string(),
      z.array(
        z
          .object({ type: z.string(), text: z.unknown().optional() })
          .refine(({ type, text }) => type !== 'text' || typeof text === 'string'),
      ),
    ])
    .nullish(),
  tool_calls: z.array(z.object({ function: z.object({ arguments: z.unknown().optional() }) })).nullish(),
})

/**
 * The reply with its deviations from the protocol mended.
 *
 * @throws {ModelReplyError} for a reply with no usable message: `{error}` or a web page with status 200, a cut body
 */
function checked(reply: Completion): Completion {
  const { choices, usage } = reply ?? {}
  const message = choices?.[0]?.message
  if (!message || !usableMessage.safeParse(message).success)
    throw new ModelReplyError('no usable message in the reply', { usage })
  // How routers to several providers, such as OpenRouter, say that the one behind them broke off.
  if ((choices[0]?.finish_reason as string) === 'error')
    throw new ModelReplyError('the reply ended in an error', { usage })
  // LangChain's converter reads a role it does not know as no answer at all.
  message.role = 'assistant'
  for (const call of message.tool_calls ?? [])
    if ('function' in call) call.function.arguments = argumentsText(call.function.arguments)
  return reply
}

/** Arguments as JSON in a string: some servers send the JSON itself, or nothing for a tool that takes none. */
function argumentsText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? {})
  return value.trim() === '' ? '{}' : value
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
