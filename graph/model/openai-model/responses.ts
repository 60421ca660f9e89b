import {
  AIMessage,
  type AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
} from '@langchain/core/messages'
import { ChatOpenAIResponses } from '@langchain/openai'
import { isObject, textIn } from '../../json.ts'
import { ModelReplyError, ProviderError, type ReportedUsage } from '../model-error.ts'
import {
  type Call,
  isReasoningModel,
  type ProviderWords,
  type RequestSettings,
  wireChoice,
} from './request.ts'

type Json = Record<string, unknown>
type Event = Json & { readonly type: string }
/** Posts a body and yields the parsed events of the reply. */
type Post = (body: string) => AsyncIterable<unknown>

/**
 * One call of OpenAI's Responses API. LangChain's class converts messages, tools and events; the transport is ours, so
 * that sizes, redirects, statuses and cut-off streams are handled as for chat completions. Nothing is stored at the
 * provider: a model's reasoning comes encrypted and goes back with its turn.
 */
export class ResponsesApi extends ChatOpenAIResponses {
  /** The configuration would be written into traces. */
  override lc_serializable = false
  readonly #settings: RequestSettings
  readonly #call: Call

  constructor(settings: RequestSettings, call: Call, post: Post) {
    const { model, maxTokens } = settings
    super({ model, apiKey: 'sent by our transport', ...(maxTokens !== undefined && { maxTokens }) })
    this.#settings = settings
    this.#call = call
    // LangChain's method posts with OpenAI's client and drops `tool_choice` "none", "auto" and "required".
    const complete = async (asked: Json) => eventsOf(post(JSON.stringify(this.#body(asked))))
    this.completionWithRetry = complete as never
  }

  /** The parts of the reply. */
  async *reply(): AsyncGenerator<AIMessageChunkFields> {
    const { messages, options } = this.#call
    const turns = messages.map(message =>
      message.type === 'ai' ? this.#turn(message as AIMessage) : message,
    )
    for await (const { message } of this._streamResponseChunks(turns, options as this['ParsedCallOptions']))
      yield this.#fieldsOf(message as AIMessageChunk)
  }

  #body({ tools, text: _, ...asked }: Json): Json {
    const { model, temperature, params = {} } = this.#settings
    const { options, dialect, stream } = this.#call
    const { reasoning_effort, verbosity, response_format, ...members } = params
    const format = isObject(response_format) ? flattened(response_format) : undefined
    const body: Json = {
      ...asked,
      ...(Array.isArray(tools) && {
        tools: tools.map(tool => ({ ...tool, strict: false })),
        tool_choice: choiceOf(options.tool_choice),
      }),
      ...(temperature !== undefined && !dialect.refusesTemperature && { temperature }),
      ...(typeof reasoning_effort === 'string' && { reasoning: { effort: reasoning_effort } }),
      ...((verbosity ?? format) !== undefined && { text: { verbosity, format } }),
      store: false,
      ...(isReasoningModel(model) &&
        !dialect.refusesEncrypted && { include: ['reasoning.encrypted_content'] }),
      ...members,
      stream,
    }
    return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
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
    const { text, content, tool_call_chunks = [], additional_kwargs } = chunk
    const parts = Array.isArray(content) ? content : []
    const reasoning = parts.map(part => (part.type === 'reasoning' ? textIn(part.reasoning) : '')).join('')
    const said = {
      content: text,
      ...(tool_call_chunks.length > 0 && { tool_call_chunks }),
      additional_kwargs: {
        ...(reasoning !== '' && { reasoning_content: reasoning }),
        ...(additional_kwargs.refusal ? { refusal: additional_kwargs.refusal } : {}),
      },
    }
    const { status } = chunk.response_metadata
    return status === 'completed' || status === 'incomplete' ? { ...said, ...this.#endOf(chunk, said) } : said
  }

  /** What the last event adds: the turn's items, usage, and why it ended. */
  #endOf(
    { id = '', usage_metadata, response_metadata }: AIMessageChunk,
    { additional_kwargs }: AIMessageChunkFields,
  ): Partial<AIMessageChunkFields> {
    const { model, output: items, incomplete_details: cut } = response_metadata as Json
    const reason = isObject(cut) ? textIn(cut.reason) : undefined
    const isCalling = Array.isArray(items) && items.some(({ type }) => type === 'function_call')
    const finish_reason =
      reason === 'max_output_tokens' ? 'length' : (reason ?? (isCalling ? 'tool_calls' : 'stop'))
    const words = { origin: this.#call.origin, message: {}, calls: [], items }
    return {
      id,
      additional_kwargs: { ...additional_kwargs, provider_words: words as ProviderWords },
      response_metadata: { finish_reason, id, model_name: textIn(model) ?? '' },
      ...(usage_metadata && { usage_metadata }),
    }
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

/**
 * The events of a reply that has come to its end; LangChain would take a cut-off or failed one for a success. The last
 * has the items as they came, since only there reasoning is whole. A reply that came whole is told as events.
 *
 * @throws {ProviderError} if the reply reports an error; {ModelReplyError} if it breaks off or does not follow the protocol
 */
async function* eventsOf(chunks: AsyncIterable<unknown>): AsyncGenerator<Event> {
  const items: unknown[] = []
  const begun = new Set<unknown>()
  let hasEnded = false
  for await (const chunk of chunks) {
    if (chunk === '[DONE]') continue
    if (!isObject(chunk)) throw unusable()
    if (isObject(chunk.error) || textIn(chunk.error)) throw new ProviderError(chunk, {})
    for (const event of chunk.object === 'response' ? eventsFrom(chunk) : [chunk]) {
      const { type, response, item, output_index: index } = event
      if (type === 'error') throw new ProviderError({ error: event }, {})
      if (typeof type !== 'string') throw unusable()
      if (type.endsWith('.delta')) begun.add(index)
      if (type === 'response.output_item.done') {
        items.push(item)
        if (isObject(item) && !begun.has(index)) yield* missedDeltas(item, index)
      }
      if (type === 'response.failed') throw failureOf(response)
      if (type === 'response.completed' || type === 'response.incomplete') {
        hasEnded = true
        yield { ...event, type, response: { ...(response as Json), output: items } }
      } else yield { ...event, type }
    }
    if (hasEnded) return
  }
  throw new ModelReplyError('the stream ended before the answer did')
}

const unusable = () => new ModelReplyError('no usable message in the reply')

function failureOf(response: unknown): Error {
  const { error, usage } = isObject(response) ? response : {}
  return new ProviderError({ error: error ?? 'the response failed' }, { usage: reported(usage) })
}

/** This API's usage under the names of the other. */
function reported(usage: unknown): ReportedUsage | undefined {
  if (!isObject(usage)) return undefined
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details } = usage
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    prompt_tokens_details: input_tokens_details as ReportedUsage['prompt_tokens_details'],
    completion_tokens_details: output_tokens_details as ReportedUsage['completion_tokens_details'],
  }
}

/** A whole response, as the events that a stream would have had. */
function eventsFrom(response: Json): Json[] {
  const { output, status } = response
  if (!Array.isArray(output)) throw unusable()
  if (status === 'failed') return [{ type: 'response.failed', response }]
  if (status !== 'completed' && status !== 'incomplete') throw unusable()
  const done = output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, arguments: '', content: [] } },
    { type: 'response.output_item.done', output_index, item },
  ])
  return [...done, { type: `response.${status}`, response }]
}

/** What an item says, for servers that send it only when it is done. */
function* missedDeltas(item: Json, output_index: unknown): Generator<Event> {
  if (item.type === 'function_call' && item.arguments)
    yield { type: 'response.function_call_arguments.delta', output_index, delta: item.arguments }
  const parts = item.type === 'message' && Array.isArray(item.content) ? item.content : []
  for (const [content_index, part] of parts.entries()) {
    if (part.type === 'output_text')
      yield { type: 'response.output_text.delta', output_index, content_index, delta: part.text }
    if (part.type === 'refusal') yield { type: 'response.refusal.done', output_index, refusal: part.refusal }
  }
}
