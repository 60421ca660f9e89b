import { isObject, textIn } from '@agent-task-service/untrusted/json'
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
} from '@langchain/core/messages'
import { ChatOpenAIResponses } from '@langchain/openai'
import { ModelReplyError, ProviderError, type ReportedUsage } from './errors.ts'
import type { Host } from './host.ts'
import { type ApiCall, type ProviderWords, type RequestSettings, wireChoice } from './request.ts'
import { readWrittenCall, type SpokenText, spokenTextFor } from './spoken-text.ts'

type Json = Record<string, unknown>
type Event = Json & { readonly type: string }

/** OpenAI's models that do not reason refuse to encrypt their reasoning. */
const WITHOUT_REASONING = /^(gpt-[34]|chatgpt|gpt-[5-9][\d.]*-chat)/

/** The least `max_output_tokens` that OpenAI accepts. */
const LEAST_CAP = 16

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
  readonly #call: ApiCall
  readonly #host: Host
  readonly #spoken: SpokenText
  #failure: unknown

  constructor(settings: RequestSettings, call: ApiCall, post: Post, host: Host) {
    const { model, maxTokens } = settings
    const cap = maxTokens === undefined ? {} : { maxTokens: Math.max(maxTokens, LEAST_CAP) }
    super({ model, apiKey: 'sent by our transport', ...cap })
    this.#settings = settings
    this.#call = call
    this.#host = host
    this.#spoken = spokenTextFor(call.options)
    // LangChain's method posts with OpenAI's client and drops `tool_choice` "none", "auto" and "required".
    const complete = async (asked: Json) => this.#passed(eventsOf(post(JSON.stringify(this.#body(asked)))))
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
    const { options, quirks, stream } = this.#call
    const { reasoning_effort, verbosity, response_format, ...members } = params
    const wanted = options.response_format ?? response_format
    const format = isObject(wanted) ? flattened(wanted) : undefined
    const body: Json = {
      ...asked,
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
  const { provider_words: words, ...said } = additional_kwargs
  return {
    content,
    ...(id !== undefined && { id }),
    ...(!isCut && { tool_call_chunks: reply.tool_call_chunks }),
    additional_kwargs: isCut ? said : { ...said, provider_words: words },
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

/**
 * The events of a reply, as LangChain reads them right.
 *
 * @throws {ProviderError} if the reply reports an error; {ModelReplyError} if it breaks off or does not follow the protocol
 */
async function* eventsOf(chunks: AsyncIterable<unknown>): AsyncGenerator<Event> {
  const reply = new ReplyEvents()
  for await (const chunk of chunks) {
    if (chunk === '[DONE]') continue
    if (!isObject(chunk)) throw unusable()
    if (chunk.error && chunk.object !== 'response') throw new ProviderError(chunk, {})
    for (const event of withItems(chunk, reply.items.length === 0)) yield* reply.read(event)
    // Some servers keep the connection open.
    if (reply.hasEnded) return
  }
  throw new ModelReplyError('the stream ended before the answer did')
}

type Handler = (event: Event) => Iterable<Event>

/**
 * LangChain reads most events right. It would take a reply that is cut off or failed for a success, and would read
 * nothing of a server that leaves events out, or sends the whole reply as one.
 */
class ReplyEvents {
  readonly items: Json[] = []
  hasEnded = false
  /** Output indices of the items that were announced, and of those of which a part has come. */
  readonly #added = new Set<unknown>()
  readonly #begun = new Set<unknown>()
  #hasSpoken = false

  readonly #handlers = new Map<string, Handler>([
    ['response.output_item.added', event => this.#itemAdded(event)],
    ['response.output_item.done', event => this.#itemDone(event)],
    ['response.reasoning_text.delta', summaryOf],
    ['response.completed', event => this.#end(event)],
    ['response.incomplete', event => this.#end(event)],
    ['response.failed', event => this.#end(event)],
    ['response.cancelled', event => this.#end(event)],
    ['error', failed],
  ])

  read(event: Json): Iterable<Event> {
    const { type, output_index } = event
    if (typeof type !== 'string') throw unusable()
    if (type.endsWith('.delta')) this.#begun.add(output_index)
    const whole = { ...event, type }
    return this.#handlers.get(type)?.(whole) ?? [whole]
  }

  *#itemAdded(event: Event): Generator<Event> {
    const { item, output_index } = event
    // Nothing can be read from an item that is not there.
    if (!isObject(item)) return
    this.#added.add(output_index)
    yield event
    if (item.type === 'message' && this.#hasSpoken) yield betweenMessages
  }

  /** Yields what the server left out, and keeps the item, which LangChain does not need. */
  *#itemDone({ item, output_index }: Event): Generator<Event> {
    if (!isObject(item)) return
    const isNew = !this.#added.has(output_index)
    const isMissed = !this.#begun.has(output_index)
    const { type } = item
    if (isNew && type === 'function_call')
      yield { type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } }
    if (isNew && isMissed && type === 'message' && this.#hasSpoken) yield betweenMessages
    if (isMissed) yield* missedDeltas(item, output_index)
    if (type === 'message') this.#hasSpoken = true
    this.items.push(item)
  }

  *#end({ type, response }: Event): Generator<Event> {
    yield endOf(type.slice('response.'.length), isObject(response) ? response : {}, this.items)
    this.hasEnded = true
  }
}

/** Of open models, which do not hide their reasoning. */
const summaryOf: Handler = ({ delta }) => [
  { type: 'response.reasoning_summary_text.delta', delta, summary_index: 0 },
]

const failed: Handler = event => {
  throw new ProviderError(event, {})
}

/** What the model is about to do, then the answer. */
const betweenMessages = {
  type: 'response.output_text.delta',
  delta: '\n\n',
  output_index: -1,
  content_index: 0,
}

const unusable = () => new ModelReplyError('no usable message in the reply')

/**
 * The last event: usage, why the reply ended, and its items as they came, since only there reasoning is whole. LangChain
 * would convert `output` once more.
 *
 * @param told the response's status by the type of the event; some servers leave it out of the response
 */
function endOf(told: string, response: Json, items: readonly Json[]): Event {
  const { id, model, status = told, error, usage, incomplete_details: cut } = response
  if (error) throw new ProviderError({ error }, { usage: reported(usage) })
  if (status !== 'completed' && status !== 'incomplete')
    throw new ModelReplyError(`the response is ${String(status)}`, { usage: reported(usage) })
  const isCalling = items.some(({ type }) => type === 'function_call')
  const isWithheld = isObject(cut) && cut.reason === 'content_filter'
  const ended = isWithheld ? 'content_filter' : status === 'incomplete' ? 'length' : undefined
  const finish_reason = ended ?? (isCalling ? 'tool_calls' : 'stop')
  const known = { id, model_name: model, usage: isObject(usage) ? usage : undefined, output: [] }
  return { type: 'response.completed', response: { ...known, items, finish_reason } }
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

/** The events of a chunk. A whole response, or the end of a stream that told of no item, has the items in itself. */
function withItems(chunk: Json, isWithoutItems: boolean): Json[] {
  if (chunk.object === 'response')
    return [
      { type: 'response.created', response: chunk },
      ...itemsIn(chunk),
      { type: 'response.completed', response: chunk },
    ]
  const { type, response } = chunk
  const isEnd = type === 'response.completed' || type === 'response.incomplete'
  return isEnd && isWithoutItems && isObject(response) ? [...itemsIn(response), chunk] : [chunk]
}

function itemsIn({ output }: Json): Json[] {
  const items = Array.isArray(output) ? output : []
  return items.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }))
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
