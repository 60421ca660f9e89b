import { isObject, textIn } from '@agent-task-service/untrusted/json'
import type { ModelProfile } from '@langchain/core/language_models/profile'
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { ChatOpenAIResponses } from '@langchain/openai'
import type { Host } from './host.ts'
import { type InlineMarkupParser, inlineMarkupParserFor, parseInlineCall } from './inline-markup.ts'
import { plainText } from './message-text.ts'
import {
  type ApiCall,
  type ProviderWords,
  type RequestSettings,
  wireChoice,
  withoutNulls,
} from './request.ts'
import { eventsOf, type ResponsesEvent } from './responses-events.ts'

type Json = Record<string, unknown>

/** OpenAI's models that do not reason refuse to encrypt their reasoning. */
const WITHOUT_REASONING = /^(gpt-[34]|chatgpt|gpt-[5-9][\d.]*-chat)/

/** The least `max_output_tokens` that OpenAI accepts. */
const LEAST_CAP = 16

/** Posts a body and yields the parsed events of the reply. */
type Post = (body: string) => AsyncIterable<unknown>

/** LangChain's profile of one of OpenAI's models; empty for others. */
export function profileOf(model: string): ModelProfile {
  return new ChatOpenAIResponses({ model, apiKey: 'not used' }).profile
}

/**
 * One call of OpenAI's Responses API. LangChain's class converts messages, tools and events; the transport is ours, so
 * that sizes, redirects, statuses and cut-off streams are handled as for chat completions. Nothing is stored at the
 * provider: a model's reasoning comes encrypted and goes back with its turn.
 */
export class ResponsesApi extends ChatOpenAIResponses {
  /** The configuration would be written into traces. */
  override lc_serializable = false
  readonly #settings: RequestSettings
  readonly #call: ApiCall
  readonly #host: Host
  readonly #markup: InlineMarkupParser
  #failure: unknown

  constructor(settings: RequestSettings, call: ApiCall, post: Post, host: Host) {
    const { model, maxTokens } = settings
    const cap = maxTokens === undefined ? {} : { maxTokens: Math.max(maxTokens, LEAST_CAP) }
    super({ model, apiKey: 'sent by our transport', ...cap })
    this.#settings = settings
    this.#call = call
    this.#host = host
    this.#markup = inlineMarkupParserFor(call.options)
    // LangChain's method posts with OpenAI's client and drops `tool_choice` "none", "auto" and "required".
    const complete = async (request: Json) =>
      this.#untilFailure(eventsOf(post(JSON.stringify(this.#body(request)))))
    this.completionWithRetry = complete as never
  }

  /** The parts of the reply; if its cap is too low for OpenAI, one part, cut to the cap. */
  async *reply(): AsyncGenerator<AIMessageChunkFields> {
    const { maxTokens = LEAST_CAP } = this.#settings
    if (maxTokens < LEAST_CAP) yield await cutTo(maxTokens, this.#parts(), this.#host)
    else yield* this.#parts()
  }

  async *#parts(): AsyncGenerator<AIMessageChunkFields> {
    const { messages, options } = this.#call
    const turns = messages.map(message => {
      if (message.type === 'tool') return withPlainText(message as ToolMessage)
      return message.type === 'ai' ? this.#turn(message as AIMessage) : message
    })
    for await (const { message } of this._streamResponseChunks(turns, options as this['ParsedCallOptions']))
      yield this.#fieldsOf(message as AIMessageChunk)
    // LangChain takes a reply that was aborted for one that has ended.
    options.signal?.throwIfAborted()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** The events up to a failure, which is kept from LangChain: it would rewrite some errors without their status. */
  async *#untilFailure(events: AsyncIterable<ResponsesEvent>): AsyncGenerator<ResponsesEvent> {
    try {
      yield* events
    } catch (error) {
      this.#failure = error
    }
  }

  /** @param request as LangChain would send it */
  #body({ tools, text: _, ...request }: Json): Json {
    const { model, temperature, params = {} } = this.#settings
    const { options, quirks, stream } = this.#call
    const { reasoning_effort, verbosity, response_format, ...members } = params
    const requestedFormat = options.response_format ?? response_format
    const format = isObject(requestedFormat) ? flattened(requestedFormat) : undefined
    const body: Json = {
      ...request,
      ...(Array.isArray(tools) && {
        tools: tools.map(tool => ({ ...tool, strict: false })),
        tool_choice: choiceOf(options.tool_choice),
      }),
      ...(temperature !== undefined && !quirks.refusesTemperature && { temperature }),
      ...(typeof reasoning_effort === 'string' && { reasoning: { effort: reasoning_effort } }),
      ...((verbosity ?? format) !== undefined && { text: { verbosity, format } }),
      store: false,
      ...(!WITHOUT_REASONING.test(model) &&
        !quirks.refusesEncrypted && { include: ['reasoning.encrypted_content'] }),
      ...members,
      stream,
    }
    return withoutNulls(body)
  }

  /** A turn of this model with its items as they came; of another, only what it said and called. */
  #turn({ text, tool_calls: calls = [], additional_kwargs }: AIMessage): BaseMessage {
    const { origin, items = [] } = (additional_kwargs.provider_words ?? {}) as Partial<ProviderWords>
    const ids = items.filter(({ type }) => type === 'function_call').map(({ call_id }) => call_id)
    const isWhole = calls.length === ids.length && calls.every(({ id }) => ids.includes(id))
    // Without its content, a reasoning item would be looked up where nothing is stored.
    const isOpaque = items.some(({ type, encrypted_content }) => type === 'reasoning' && !encrypted_content)
    if (origin === this.#call.origin && items.length > 0 && isWhole && !isOpaque)
      return new AIMessage({ content: '', response_metadata: { output: items } })
    return new AIMessage({ content: text === '' ? [] : text, tool_calls: calls })
  }

  #fieldsOf(chunk: AIMessageChunk): AIMessageChunkFields {
    const { id = '', text, content, tool_call_chunks = [], additional_kwargs, usage_metadata } = chunk
    const { finish_reason, model_name, ...last } = chunk.response_metadata as Json
    const items = Array.isArray(last.items) ? last.items : undefined
    const answer = this.#markup.add(text) + (items ? this.#markup.end() : '')
    const parts = Array.isArray(content) ? content : []
    const reasoning = parts.map(part => (part.type === 'reasoning' ? textIn(part.reasoning) : '')).join('')
    const thoughts = reasoning + this.#markup.takeReasoning()
    const calls = [...tool_call_chunks, ...(items ? this.#inlineCalls(items.length) : [])]
    const fields = {
      content: answer,
      ...(calls.length > 0 && { tool_call_chunks: calls }),
      additional_kwargs: {
        ...(thoughts !== '' && { reasoning_content: thoughts }),
        ...(additional_kwargs.refusal ? { refusal: additional_kwargs.refusal } : {}),
      },
    }
    if (!items) return fields
    const words: ProviderWords = { origin: this.#call.origin, message: {}, calls: [], items }
    return {
      ...fields,
      id,
      additional_kwargs: { ...fields.additional_kwargs, provider_words: words },
      response_metadata: { id, finish_reason: textIn(finish_reason), model_name: textIn(model_name) ?? '' },
      ...(usage_metadata && { usage_metadata }),
    }
  }

  /** @param from the index of the first */
  #inlineCalls(from: number) {
    return this.#markup.calls.map((call, at) => ({
      ...parseInlineCall(call),
      index: from + at,
      type: 'tool_call_chunk' as const,
    }))
  }
}

/** A whole reply of at most 16 tokens, cut as if the provider had accepted a lower cap. Its usage is what was billed. */
async function cutTo(
  cap: number,
  parts: AsyncIterable<AIMessageChunkFields>,
  { firstTokens = async (text, limit) => text.slice(0, 4 * limit) }: Host,
): Promise<AIMessageChunkFields> {
  let reply = new AIMessageChunk('')
  for await (const part of parts) reply = reply.concat(new AIMessageChunk(part))
  const { id, text, additional_kwargs, response_metadata, usage_metadata } = reply
  const content = await firstTokens(text, cap)
  const isCut = content !== text || (usage_metadata?.output_tokens ?? 0) > cap
  const { provider_words: words, ...others } = additional_kwargs
  return {
    content,
    ...(id !== undefined && { id }),
    ...(!isCut && { tool_call_chunks: reply.tool_call_chunks }),
    additional_kwargs: isCut ? others : { ...others, provider_words: words },
    response_metadata: isCut ? { ...response_metadata, finish_reason: 'length' } : response_metadata,
    ...(usage_metadata && { usage_metadata }),
  }
}

/** LangChain's form of a choice as this API writes it. */
function choiceOf(choice: unknown): unknown {
  const written = choice === undefined ? undefined : wireChoice(choice)
  return isObject(written) && isObject(written.function)
    ? { type: 'function', name: written.function.name }
    : written
}

/** Chat completions' `response_format`, which this API writes with its members one level up. */
function flattened({ json_schema, ...rest }: Json): Json {
  return { ...rest, ...(isObject(json_schema) ? json_schema : {}) }
}

/** A result in text blocks as their text, which LangChain would write as JSON. */
function withPlainText(result: ToolMessage): ToolMessage {
  const { content, tool_call_id, status } = result
  if (typeof content === 'string' || content.some(({ type }) => type !== 'text')) return result
  return new ToolMessage({ content: plainText(result), tool_call_id, ...(status && { status }) })
}
