import type { ReportedUsage } from '@agent-task-service/messages/usage'
import { isObject, type JsonObject, membersOf, objectsIn, textIn } from '@agent-task-service/wire/untrusted'
import { ModelReplyError, ProviderError } from '../errors.ts'
import { argumentsIn } from './calls.ts'
import type { StreamedReply } from './reply.ts'

/**
 * Reads one reply of the Responses API: its events, or a whole response. Servers leave events out, so what was not streamed
 * is read from the items, and what is not in the items from the response.
 */
export class ResponsesReader {
  readonly reply: StreamedReply
  readonly #items: JsonObject[] = []
  /** Output indices of the calls that were announced, and of the items of which a part has come. */
  readonly #added = new Set<unknown>()
  readonly #begun = new Set<unknown>()
  /** Whether a message is complete, so that the next one begins a new paragraph. */
  #hasMessage = false

  /** All other events tell nothing new. */
  readonly #handlers: Readonly<Record<string, (event: JsonObject) => void>> = {
    'response.created': ({ response }) => this.#tell(response),
    'response.output_item.added': ({ item, output_index }) => this.#itemAdded(item, output_index),
    'response.output_item.done': ({ item, output_index }) => this.#itemDone(item, output_index),
    'response.output_text.delta': ({ delta }) => this.reply.say(delta),
    'response.refusal.delta': ({ delta }) => this.reply.refuse(delta),
    'response.refusal.done': ({ output_index, refusal }) => this.#refused(output_index, refusal),
    'response.reasoning_summary_text.delta': ({ delta }) => this.reply.think(delta),
    // Of open models, which do not hide their reasoning.
    'response.reasoning_text.delta': ({ delta }) => this.reply.think(delta),
    'response.function_call_arguments.delta': ({ output_index, delta }) =>
      this.reply.call({ index: output_index, args: textIn(delta) ?? '' }),
    'response.completed': event => this.#finished(event),
    'response.incomplete': event => this.#finished(event),
    'response.failed': event => this.#end(event),
    'response.cancelled': event => this.#end(event),
  }

  constructor(reply: StreamedReply) {
    this.reply = reply
  }

  /**
   * @param chunk a parsed event, or a whole response
   * @throws {ProviderError} if the reply reports an error; {ModelReplyError} if it has no answer
   */
  read(chunk: unknown): void {
    // Behind the end nothing counts; what is no event is skipped.
    if (this.reply.isEnded || !isObject(chunk)) return
    const { object, error, type } = chunk
    if (object === 'response') this.#whole(chunk)
    else if (error || type === 'error') throw new ProviderError(chunk, {})
    else if (typeof type === 'string') this.#readEvent(type, chunk)
  }

  #readEvent(type: string, event: JsonObject): void {
    this.#handlers[type]?.(event)
    if (type.endsWith('.delta') && textIn(event.delta) !== undefined) this.#begun.add(event.output_index)
  }

  #whole(response: JsonObject): void {
    this.#itemsIn(response)
    this.#end({ type: 'response.completed', response })
  }

  #tell(response: unknown): void {
    const { id, model } = membersOf(response)
    this.reply.tell({ id: textIn(id), model: textIn(model) })
  }

  #itemAdded(item: unknown, index: unknown): void {
    if (!isObject(item)) return
    if (item.type === 'function_call') this.#call(item, index)
    if (item.type === 'message' && this.#hasMessage) this.reply.say('\n\n')
    this.#added.add(index)
  }

  #call({ call_id, name }: JsonObject, index: unknown): void {
    this.reply.call({ index, id: textIn(call_id) ?? '', name: textIn(name) ?? '', args: '' })
  }

  #itemDone(item: unknown, index: unknown): void {
    if (!isObject(item)) return
    if (item.type === 'function_call') this.#callDone(item, index)
    if (item.type === 'message') this.#messageDone(item, index)
    // Of open models, which do not hide their reasoning.
    if (item.type === 'reasoning' && !this.#begun.has(index))
      for (const { text } of objectsIn(item.content)) this.reply.think(text)
    this.#items.push(item)
  }

  #callDone(item: JsonObject, index: unknown): void {
    if (!this.#added.has(index)) this.#call(item, index)
    const args = argumentsIn(item)
    if (!this.#begun.has(index) && args !== '') this.reply.call({ index, args })
  }

  #messageDone(item: JsonObject, index: unknown): void {
    if (!this.#begun.has(index)) {
      // What the model is about to do, then the answer.
      if (!this.#added.has(index) && this.#hasMessage) this.reply.say('\n\n')
      this.#readContent(item)
    }
    this.#hasMessage = true
  }

  #readContent({ content }: JsonObject): void {
    for (const { type, text, refusal } of objectsIn(content)) {
      if (type === 'output_text') this.reply.say(text)
      if (type === 'refusal') this.reply.refuse(refusal)
    }
  }

  #refused(index: unknown, refusal: unknown): void {
    if (!this.#begun.has(index)) this.reply.refuse(refusal)
    this.#begun.add(index)
  }

  /** The end of a stream that told of no item has the items in itself. */
  #finished(event: JsonObject): void {
    if (this.#items.length === 0) this.#itemsIn(membersOf(event.response))
    this.#end(event)
  }

  #itemsIn({ output }: JsonObject): void {
    for (const [index, item] of (Array.isArray(output) ? output : []).entries()) this.#itemDone(item, index)
  }

  /** Usage, and why the reply ended. Some servers leave the status out of the response. */
  #end({ type, response }: JsonObject): void {
    const ended = membersOf(response)
    const { status = String(type).slice('response.'.length), error, usage, incomplete_details: cut } = ended
    if (isObject(usage)) this.reply.report(inChat(usage))
    const { usage: reported } = this.reply
    if (error) throw new ProviderError({ error }, { usage: reported })
    if (status !== 'completed' && status !== 'incomplete')
      throw new ModelReplyError(`the response is ${String(status)}`, { usage: reported })
    this.#tell(ended)
    this.reply.begin()
    this.reply.keepItems(this.#items)
    this.reply.finish(this.#reasonOf(status, cut))
    this.reply.markEnd()
  }

  /** In the words of chat completions. */
  #reasonOf(status: unknown, cut: unknown): string {
    if (membersOf(cut).reason === 'content_filter') return 'content_filter'
    if (status === 'incomplete') return 'length'
    return this.reply.hasCalls ? 'tool_calls' : 'stop'
  }
}

/** This API's usage under the names of the other. */
function inChat(usage: JsonObject): ReportedUsage {
  const {
    input_tokens,
    output_tokens,
    total_tokens,
    input_tokens_details: ofInput,
    output_tokens_details: ofOutput,
    ...others
  } = usage
  return {
    ...others,
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens,
    ...(isObject(ofInput) && { prompt_tokens_details: ofInput }),
    ...(isObject(ofOutput) && { completion_tokens_details: ofOutput }),
  }
}
