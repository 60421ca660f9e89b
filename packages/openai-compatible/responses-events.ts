import { isObject } from '@agent-task-service/untrusted/json'
import { ModelReplyError, ProviderError, type ReportedUsage } from './errors.ts'

type Json = Record<string, unknown>

/** An event of a streamed reply. */
export type ResponsesEvent = Json & { readonly type: string }

type Handler = (event: ResponsesEvent) => Iterable<ResponsesEvent>

/**
 * The events of a reply, as LangChain reads them right.
 *
 * @throws {ProviderError} if the reply reports an error; {ModelReplyError} if it breaks off or does not follow the protocol
 */
export async function* eventsOf(chunks: AsyncIterable<unknown>): AsyncGenerator<ResponsesEvent> {
  const reply = new ReplyEvents()
  for await (const chunk of chunks) {
    if (chunk === '[DONE]') continue
    if (!isObject(chunk)) throw unusable()
    if (chunk.error && chunk.object !== 'response') throw new ProviderError(chunk, {})
    yield* reply.read(chunk)
    // Some servers keep the connection open.
    if (reply.hasEnded) return
  }
  throw new ModelReplyError('the stream ended before the answer did')
}

/**
 * LangChain reads most events right. It would take a reply that is cut off or failed for a success, and would read
 * nothing of a server that leaves events out, or sends the whole reply as one.
 */
class ReplyEvents {
  hasEnded = false
  readonly #items: Json[] = []
  /** Output indices of the items that were announced, and of those of which a part has come. */
  readonly #added = new Set<unknown>()
  readonly #begun = new Set<unknown>()
  /** Whether a message is complete, so that the next one begins a new paragraph. */
  #hasMessage = false

  /** All other events pass unchanged. */
  readonly #handlers = new Map<string, Handler>([
    ['response.output_item.added', event => this.#itemAdded(event)],
    ['response.output_item.done', event => this.#itemDone(event)],
    ['response.reasoning_text.delta', summaryOf],
    ['response.completed', event => this.#finished(event)],
    ['response.incomplete', event => this.#finished(event)],
    ['response.failed', event => this.#end(event)],
    ['response.cancelled', event => this.#end(event)],
    ['error', failed],
  ])

  /** @param chunk an event, or a whole response */
  read(chunk: Json): Iterable<ResponsesEvent> {
    if (chunk.object === 'response') return this.#whole(chunk)
    const { type, output_index } = chunk
    if (typeof type !== 'string') throw unusable()
    if (type.endsWith('.delta')) this.#begun.add(output_index)
    const event = { ...chunk, type }
    return this.#handlers.get(type)?.(event) ?? [event]
  }

  *#whole(response: Json): Generator<ResponsesEvent> {
    yield { type: 'response.created', response }
    yield* this.#itemsIn(response)
    yield* this.#end({ type: 'response.completed', response })
  }

  *#itemAdded(event: ResponsesEvent): Generator<ResponsesEvent> {
    const { item, output_index } = event
    // Nothing can be read from an item that is not there.
    if (!isObject(item)) return
    this.#added.add(output_index)
    yield event
    if (item.type === 'message' && this.#hasMessage) yield betweenMessages
  }

  /** Yields what the server left out, and keeps the item, which LangChain does not need. */
  *#itemDone({ item, output_index }: ResponsesEvent): Generator<ResponsesEvent> {
    if (!isObject(item)) return
    if (item.type === 'function_call') yield* this.#callDone(item, output_index)
    if (item.type === 'message') yield* this.#messageDone(item, output_index)
    this.#items.push(item)
  }

  *#callDone(item: Json, output_index: unknown): Generator<ResponsesEvent> {
    if (!this.#added.has(output_index))
      yield { type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } }
    if (!this.#begun.has(output_index) && item.arguments)
      yield { type: 'response.function_call_arguments.delta', output_index, delta: item.arguments }
  }

  *#messageDone(item: Json, output_index: unknown): Generator<ResponsesEvent> {
    if (!this.#begun.has(output_index)) {
      if (!this.#added.has(output_index) && this.#hasMessage) yield betweenMessages
      yield* contentOf(item, output_index)
    }
    this.#hasMessage = true
  }

  /** The end of a stream that told of no item has the items in itself. */
  *#finished(event: ResponsesEvent): Generator<ResponsesEvent> {
    if (this.#items.length === 0 && isObject(event.response)) yield* this.#itemsIn(event.response)
    yield* this.#end(event)
  }

  *#itemsIn({ output }: Json): Generator<ResponsesEvent> {
    const items = Array.isArray(output) ? output : []
    for (const [output_index, item] of items.entries())
      yield* this.#itemDone({ type: 'response.output_item.done', output_index, item })
  }

  *#end({ type, response }: ResponsesEvent): Generator<ResponsesEvent> {
    yield endOf(type.slice('response.'.length), isObject(response) ? response : {}, this.#items)
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

/** What a message says, for servers that send it only when it is done. */
function* contentOf(message: Json, output_index: unknown): Generator<ResponsesEvent> {
  const parts = Array.isArray(message.content) ? message.content.filter(isObject) : []
  for (const [content_index, { type, text, refusal }] of parts.entries()) {
    if (type === 'output_text')
      yield { type: 'response.output_text.delta', output_index, content_index, delta: text }
    if (type === 'refusal') yield { type: 'response.refusal.done', output_index, refusal }
  }
}

/**
 * The last event: usage, why the reply ended, and its items as they came, since only there reasoning is whole. LangChain
 * would convert `output` once more.
 *
 * @param eventStatus the response's status by the type of the event; some servers leave it out of the response
 */
function endOf(eventStatus: string, response: Json, items: readonly Json[]): ResponsesEvent {
  const { id, model, status = eventStatus, error, usage, incomplete_details: cut } = response
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
