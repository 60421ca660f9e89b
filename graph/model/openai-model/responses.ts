import type { AIMessage, AIMessageChunkFields, BaseMessage, ToolMessage } from '@langchain/core/messages'
import { isObject, textIn, toText } from '../../json.ts'
import { ModelReplyError, ProviderError, type ReportedUsage } from '../model-error.ts'
import type { Reader } from './read-reply.ts'
import { usageMetadata } from './reply.ts'
import {
  type Call,
  type ProviderWords,
  type RequestSettings,
  roleOf,
  wireChoice,
  wireContent,
} from './request.ts'
import { readWrittenCall, SpokenText } from './spoken-text.ts'

type Json = Record<string, unknown>

/** OpenAI's models that do not reason refuse to encrypt their reasoning. */
const WITHOUT_REASONING = /^(gpt-[34]|chatgpt|gpt-[5-9][\d.]*-chat)/

/**
 * The body of a request to OpenAI's Responses API, as JSON. Nothing is stored at the provider: a model's reasoning comes
 * encrypted and goes back with its turn.
 */
export function responsesBody(
  { messages, options, stream, origin, dialect }: Call,
  settings: RequestSettings,
) {
  const { tools = [], tool_choice } = options
  const { model, temperature, maxTokens, params = {} } = settings
  const { reasoning_effort, verbosity, response_format, ...members } = params
  const wanted = options.response_format ?? response_format
  const format = isObject(wanted) ? flattened(wanted) : undefined
  const body: Json = {
    model,
    input: messages.flatMap(message => itemsOf(message, origin)),
    ...(tools.length > 0 && {
      tools: tools.map(({ function: asked }) => ({ type: 'function', ...asked, strict: false })),
      tool_choice: choiceOf(tool_choice),
    }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(temperature !== undefined && !dialect.refusesTemperature && { temperature }),
    ...(typeof reasoning_effort === 'string' && { reasoning: { effort: reasoning_effort } }),
    ...((verbosity ?? format) !== undefined && { text: { verbosity, format } }),
    store: false,
    ...(!WITHOUT_REASONING.test(model) &&
      !dialect.refusesEncrypted && { include: ['reasoning.encrypted_content'] }),
    ...members,
    stream,
  }
  return JSON.stringify(Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)))
}

function itemsOf(message: BaseMessage, origin: string): readonly object[] {
  if (message.type === 'ai') return turnItems(message as AIMessage, origin)
  if (message.type === 'tool') {
    const { tool_call_id: call_id, text: output } = message as ToolMessage
    return [{ type: 'function_call_output', call_id, output }]
  }
  const content = wireContent(message.content)
  return [
    {
      type: 'message',
      role: roleOf(message),
      content: Array.isArray(content) ? content.map(inputPart) : content,
    },
  ]
}

/** A part of chat completions' content as this API writes it. */
function inputPart(part: Json): Json {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  if (part.type !== 'image_url') return part
  const image = isObject(part.image_url) ? part.image_url.url : part.image_url
  return { type: 'input_image', image_url: image }
}

/** A turn of this model with its items as they came; of another, only what it said and called. */
function turnItems({ text, tool_calls: calls = [], additional_kwargs }: AIMessage, origin: string) {
  const words = (additional_kwargs.provider_words ?? {}) as Partial<ProviderWords>
  const { items = [] } = words
  const ids = items.filter(({ type }) => type === 'function_call').map(({ call_id }) => call_id)
  const isWhole = calls.length === ids.length && calls.every(({ id }) => ids.includes(id))
  // Without its content, a reasoning item would be looked up where nothing is stored.
  const isOpaque = items.some(({ type, encrypted_content }) => type === 'reasoning' && !encrypted_content)
  if (words.origin === origin && items.length > 0 && isWhole && !isOpaque) return items
  return [
    ...(text === '' ? [] : [{ type: 'message', role: 'assistant', content: text }]),
    ...calls.map(({ id, name, args }) => {
      return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) }
    }),
  ]
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

/** Reads one response, from its events or whole. */
export class ResponseReader implements Reader {
  readonly #origin: string
  readonly #spoken: SpokenText
  readonly #items: Json[] = []
  /** Items whose text came in deltas. */
  readonly #begun = new Set<unknown>()
  /** The item that speaks. */
  #speaker: unknown
  #text = ''
  #reasoning = ''
  #refusal = ''
  #response: Json | undefined

  /**
   * @param origin the model called
   * @param mayCall whether tools were offered
   */
  constructor(origin: string, mayCall: boolean) {
    this.#origin = origin
    this.#spoken = new SpokenText(mayCall)
  }

  get isComplete(): boolean {
    return this.#response !== undefined
  }

  read(chunk: unknown): AIMessageChunkFields | undefined {
    if (chunk === '[DONE]') return undefined
    if (!isObject(chunk)) throw unusable()
    if (chunk.object === 'response') return this.#readWhole(chunk)
    const { type, delta, item, response, output_index: index } = chunk
    if (chunk.error || type === 'error') throw new ProviderError(chunk, {})
    if (typeof type !== 'string') throw unusable()
    if (type.endsWith('.delta')) this.#begun.add(index)
    switch (type) {
      case 'response.output_text.delta':
        return this.#say(textIn(delta) ?? '', index)
      case 'response.reasoning_summary_text.delta':
      // Of open models, which do not hide their reasoning.
      case 'response.reasoning_text.delta':
        return this.#think(textIn(delta) ?? '')
      case 'response.function_call_arguments.delta': {
        const piece = { args: textIn(delta) ?? '', index: Number(index), type: 'tool_call_chunk' as const }
        return { content: '', tool_call_chunks: [piece] }
      }
      case 'response.refusal.done':
        this.#refusal = textIn(chunk.refusal) ?? ''
        return undefined
      case 'response.output_item.done':
        return isObject(item) ? this.#readItem(item, index) : undefined
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#end(isObject(response) ? response : {})
    }
    return undefined
  }

  end(): AIMessageChunkFields {
    if (!this.#response) throw new ModelReplyError('the stream ended before the answer did')
    const { id, model, status, usage, incomplete_details: cut } = this.#response
    this.#text += this.#spoken.end()
    const made = this.#items
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id, name, arguments: args }) => {
        return { id: textIn(call_id), name: textIn(name), args: toText(args ?? '') }
      })
    const calls = [...made, ...this.#spoken.calls.map(readWrittenCall)]
    const isWithheld = isObject(cut) && cut.reason === 'content_filter'
    const ended = isWithheld ? 'content_filter' : status === 'incomplete' ? 'length' : undefined
    const words: ProviderWords = { origin: this.#origin, message: {}, calls: [], items: this.#items }
    return {
      id: textIn(id),
      content: this.#text,
      tool_call_chunks: calls.map((call, index) => ({ ...call, index, type: 'tool_call_chunk' })),
      additional_kwargs: {
        ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
        ...(this.#refusal !== '' && { refusal: this.#refusal }),
        provider_words: words,
      },
      response_metadata: {
        id,
        finish_reason: ended ?? (made.length > 0 ? 'tool_calls' : 'stop'),
        model_name: textIn(model) ?? '',
      },
      usage_metadata: isObject(usage) ? usageMetadata(reported(usage)) : undefined,
    }
  }

  #readWhole(response: Json): undefined {
    const output = Array.isArray(response.output) ? response.output.filter(isObject) : []
    for (const [index, item] of output.entries()) this.#readItem(item, index)
    this.#end(response)
  }

  /** Some servers send an item's text only when it is done. */
  #readItem(item: Json, index: unknown): AIMessageChunkFields | undefined {
    this.#items.push(item)
    if (item.type !== 'message' || this.#begun.has(index)) return undefined
    const parts = Array.isArray(item.content) ? item.content.filter(isObject) : []
    for (const { refusal } of parts) this.#refusal ||= textIn(refusal) ?? ''
    return this.#say(parts.map(({ text }) => textIn(text) ?? '').join(''), index)
  }

  /** Messages of one turn are paragraphs: what the model is about to do, then the answer. */
  #say(text: string, speaker: unknown): AIMessageChunkFields {
    const isNext = text !== '' && this.#text !== '' && speaker !== this.#speaker
    this.#speaker = speaker
    const content = this.#spoken.add(isNext ? `\n\n${text}` : text)
    this.#text += content
    return { content, ...this.#think(this.#spoken.takeReasoning(), content) }
  }

  #think(reasoning: string, content = ''): AIMessageChunkFields {
    this.#reasoning += reasoning
    return { content, additional_kwargs: { ...(reasoning !== '' && { reasoning_content: reasoning }) } }
  }

  #end(response: Json): void {
    const { error, status, usage } = response
    const spent = isObject(usage) ? { usage: reported(usage) } : {}
    if (error) throw new ProviderError({ error }, spent)
    if (status !== 'completed' && status !== 'incomplete')
      throw new ModelReplyError(`the response is ${String(status)}`, spent)
    this.#response = response
  }
}

const unusable = () => new ModelReplyError('no usable message in the reply')

/** This API's usage under the names of the other. */
function reported({ input_tokens, output_tokens, total_tokens, ...details }: Json): ReportedUsage {
  const { input_tokens_details: ofInput, output_tokens_details: ofOutput } = details
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens,
    ...(isObject(ofInput) && { prompt_tokens_details: ofInput }),
    ...(isObject(ofOutput) && { completion_tokens_details: ofOutput }),
  }
}
