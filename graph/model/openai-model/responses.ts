import {
  AIMessage,
  type AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
} from '@langchain/core/messages'
import { ChatOpenAIResponses } from '@langchain/openai'
import { isObject, textIn } from '../../json.ts'
import { ModelReplyError, ProviderError, type ReportedUsage } from '../model-error.ts'
import { type Call, type ProviderWords, type RequestSettings, wireChoice } from './request.ts'
import { readWrittenCall, SpokenText } from './spoken-text.ts'

type Json = Record<string, unknown>
type Event = Json & { readonly type: string }

/** OpenAI's models that do not reason refuse to encrypt their reasoning. */
const WITHOUT_REASONING = /^(gpt-[34]|chatgpt|gpt-[5-9][\d.]*-chat)/

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
  readonly #spoken: SpokenText
  #failure: unknown

  constructor(settings: RequestSettings, call: Call, post: Post) {
    const { model, maxTokens } = settings
    super({ model, apiKey: 'sent by our transport', ...(maxTokens !== undefined && { maxTokens }) })
    this.#settings = settings
    this.#call = call
    this.#spoken = new SpokenText((call.options.tools?.length ?? 0) > 0)
    // LangChain's method posts with OpenAI's client and drops `tool_choice` "none", "auto" and "required".
    const complete = async (asked: Json) => this.#passed(eventsOf(post(JSON.stringify(this.#body(asked)))))
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
    // LangChain takes a reply that was aborted for one that has ended.
    options.signal?.throwIfAborted()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** The events up to a failure, which is kept from LangChain: it would rewrite some errors without their status. */
  async *#passed(events: AsyncIterable<Event>): AsyncGenerator<Event> {
    try {
      yield* events
    } catch (error) {
      this.#failure = error
    }
  }

  #body({ tools, text: _, ...asked }: Json): Json {
    const { model, temperature, params = {} } = this.#settings
    const { options, dialect, stream } = this.#call
    const { reasoning_effort, verbosity, response_format, ...members } = params
    const wanted = options.response_format ?? response_format
    const format = isObject(wanted) ? flattened(wanted) : undefined
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
      ...(!WITHOUT_REASONING.test(model) &&
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
    const { id = '', text, content, tool_call_chunks = [], additional_kwargs, usage_metadata } = chunk
    const { finish_reason, model_name, ...last } = chunk.response_metadata as Json
    const items = Array.isArray(last.items) ? last.items : undefined
    const answer = this.#spoken.add(text) + (items ? this.#spoken.end() : '')
    const parts = Array.isArray(content) ? content : []
    const reasoning = parts.map(part => (part.type === 'reasoning' ? textIn(part.reasoning) : '')).join('')
    const thoughts = reasoning + this.#spoken.takeReasoning()
    const written =
      items &&
      this.#spoken.calls.map((call, at) => ({
        ...readWrittenCall(call),
        index: items.length + at,
        type: 'tool_call_chunk' as const,
      }))
    const calls = [...tool_call_chunks, ...(written ?? [])]
    const said = {
      content: answer,
      ...(calls.length > 0 && { tool_call_chunks: calls }),
      additional_kwargs: {
        ...(thoughts !== '' && { reasoning_content: thoughts }),
        ...(additional_kwargs.refusal ? { refusal: additional_kwargs.refusal } : {}),
      },
    }
    if (!items) return said
    const words: ProviderWords = { origin: this.#call.origin, message: {}, calls: [], items }
    return {
      ...said,
      id,
      additional_kwargs: { ...said.additional_kwargs, provider_words: words },
      response_metadata: { id, finish_reason: textIn(finish_reason), model_name: textIn(model_name) ?? '' },
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
 * The events of a reply, of which LangChain reads most right. It would take one that is cut off or failed for a success.
 * A reply that came whole is passed on as events.
 *
 * @throws {ProviderError} if the reply reports an error; {ModelReplyError} if it breaks off or does not follow the protocol
 */
async function* eventsOf(chunks: AsyncIterable<unknown>): AsyncGenerator<Event> {
  const items: Json[] = []
  const added = new Set<unknown>()
  const begun = new Set<unknown>()
  for await (const chunk of chunks) {
    if (chunk === '[DONE]') continue
    if (!isObject(chunk)) throw unusable()
    if (chunk.error && chunk.object !== 'response') throw new ProviderError(chunk, {})
    for (const event of chunk.object === 'response' ? eventsFrom(chunk) : [chunk]) {
      const { type, response, item, output_index: index } = event
      if (typeof type !== 'string') throw unusable()
      if (type === 'error') throw new ProviderError(event, {})
      if (type.endsWith('.delta')) begun.add(index)
      if (type === 'response.output_item.added') added.add(index)
      if (type === 'response.output_item.done' && isObject(item)) {
        if (!added.has(index) && item.type === 'function_call')
          yield { type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } }
        if (!begun.has(index)) yield* missedDeltas(item, index)
        if (item.type === 'message') begun.add('text')
        items.push(item)
      } else if (/^response\.(completed|incomplete|failed|cancelled)$/.test(type)) {
        yield endOf(isObject(response) ? response : {}, items)
        // Some servers keep the connection open.
        return
      } else if (type === 'response.reasoning_text.delta') {
        // Of open models, which do not hide their reasoning.
        yield { type: 'response.reasoning_summary_text.delta', delta: event.delta, summary_index: 0 }
      } else yield { ...event, type }
      // What the model is about to do, then the answer.
      if (
        type === 'response.output_item.added' &&
        isObject(item) &&
        item.type === 'message' &&
        begun.has('text')
      )
        yield { type: 'response.output_text.delta', delta: '\n\n', output_index: -1, content_index: 0 }
    }
  }
  throw new ModelReplyError('the stream ended before the answer did')
}

const unusable = () => new ModelReplyError('no usable message in the reply')

/**
 * The last event: usage, why the reply ended, and its items as they came, since only there reasoning is whole. LangChain
 * would convert `output` once more.
 */
function endOf(response: Json, items: readonly Json[]): Event {
  const { id, model, status, error, usage, incomplete_details: cut } = response
  if (error) throw new ProviderError({ error }, { usage: reported(usage) })
  if (status !== 'completed' && status !== 'incomplete')
    throw new ModelReplyError(`the response is ${String(status)}`, { usage: reported(usage) })
  const isCalling = items.some(({ type }) => type === 'function_call')
  const isWithheld = isObject(cut) && cut.reason === 'content_filter'
  const ended = isWithheld ? 'content_filter' : status === 'incomplete' ? 'length' : undefined
  const finish_reason = ended ?? (isCalling ? 'tool_calls' : 'stop')
  const told = { id, model_name: model, usage: isObject(usage) ? usage : undefined, output: [] }
  return { type: 'response.completed', response: { ...told, items, finish_reason } }
}

/** This API's usage under the names of the other. */
function reported(usage: unknown): ReportedUsage | undefined {
  if (!isObject(usage)) return undefined
  const { input_tokens, output_tokens, input_tokens_details: ofInput } = usage
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    ...(isObject(ofInput) && { prompt_tokens_details: ofInput }),
  }
}

/** A whole response, as the events that a stream would have had. */
function eventsFrom(response: Json): Json[] {
  const output = Array.isArray(response.output) ? response.output.filter(isObject) : []
  const done = output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, arguments: '', summary: [] } },
    { type: 'response.output_item.done', output_index, item },
  ])
  return [{ type: 'response.created', response }, ...done, { type: 'response.completed', response }]
}

/** What an item says, for servers that send it only when it is done. */
function* missedDeltas(item: Json, output_index: unknown): Generator<Event> {
  if (item.type === 'function_call' && item.arguments)
    yield { type: 'response.function_call_arguments.delta', output_index, delta: item.arguments }
  const parts = item.type === 'message' && Array.isArray(item.content) ? item.content.filter(isObject) : []
  for (const [content_index, { type, text, refusal }] of parts.entries()) {
    if (type === 'output_text')
      yield { type: 'response.output_text.delta', output_index, content_index, delta: text }
    if (type === 'refusal') yield { type: 'response.refusal.done', output_index, refusal }
  }
}
