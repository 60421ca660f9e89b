import { isObject, parseJson, textIn, toText } from '@agent-task-service/untrusted/json'
import type { AIMessageChunkFields, UsageMetadata } from '@langchain/core/messages'
import { ModelReplyError, ProviderError, type ReportedUsage, tokensIn } from './errors.ts'
import { type InlineMarkupParser, inlineMarkupParserFor, parseInlineCall } from './inline-markup.ts'
import type { CallOptions, ProviderWords } from './request.ts'

type Json = Record<string, unknown>

interface OpenCall {
  /** The server's number for it. */
  readonly index: unknown
  id: string
  name: string
  args: string
  readonly words: Json
}

type ToolCallChunk = NonNullable<AIMessageChunkFields['tool_call_chunks']>[number]

/** Members that providers add to a turn and expect back: reasoning and its signatures. */
const WORDS = /^(reasoning|thinking|thought|signature|extra_content$|provider_specific_fields$)/

/**
 * Reads one reply, in pieces or whole, and repairs common deviations from the protocol: a missing role, usage missing or
 * in another place, content in parts, arguments as plain JSON, calls without an index or id, and calls or reasoning
 * written into the text.
 */
export class ReplyReader {
  readonly #origin: string
  readonly #markup: InlineMarkupParser
  readonly #calls: OpenCall[] = []
  readonly #words: Json = {}
  #refusal = ''
  #finishReason = ''
  #usage: ReportedUsage | undefined
  #id: string | undefined
  #model: string | undefined
  #isDone = false
  #hasMessage = false
  #hasText = false
  /** What has arrived since the last part. */
  #text = ''
  #reasoning = ''
  #pieces: ToolCallChunk[] = []

  /**
   * @param origin the model called
   * @param options of the call
   */
  constructor(origin: string, options: CallOptions = {}) {
    this.#origin = origin
    this.#markup = inlineMarkupParserFor(options)
  }

  /**
   * @param chunk a parsed stream event, a whole reply, or `[DONE]`
   * @throws {ProviderError} if the chunk reports an error; {ModelReplyError} if it does not follow the protocol
   */
  read(chunk: unknown): void {
    if (chunk === '[DONE]') {
      this.#isDone = true
      return
    }
    if (isListOfErrors(chunk)) throw this.#errorIn(chunk)
    if (!isObject(chunk)) throw this.#unusable()
    this.#readUsage(chunk)
    if (chunk.error || chunk.object === 'error') throw this.#errorIn(chunk)
    this.#id ??= textIn(chunk.id)
    this.#model ??= textIn(chunk.model)
    const choice = firstChoiceOf(chunk)
    if (choice) this.#readChoice(choice)
  }

  /** Whether the reply has all its parts, even if the connection stays open. */
  get isComplete(): boolean {
    return this.#isDone || (this.#finishReason !== '' && this.#usage !== undefined)
  }

  /**
   * @returns the rest of the message, with what is known only at its end
   * @throws {ModelReplyError} if the reply ended before the model had finished
   */
  end(): AIMessageChunkFields {
    this.#text += this.#markup.end()
    for (const call of this.#markup.calls) {
      const { name, args } = parseInlineCall(call)
      this.#grow(this.#begin(undefined), '', name, args)
    }
    if (this.#finishReason === '') this.#expectWhole()
    const words = { origin: this.#origin, message: this.#words, calls: this.#calls.map(({ words }) => words) }
    const hasWords = [words.message, ...words.calls].some(each => Object.keys(each).length > 0)
    const { additional_kwargs, ...brought } = this.take() ?? { content: '' }
    return {
      ...brought,
      ...(this.#id !== undefined && { id: this.#id }),
      additional_kwargs: {
        ...additional_kwargs,
        ...(this.#refusal !== '' && { refusal: this.#refusal }),
        ...(hasWords && { provider_words: words satisfies ProviderWords }),
      },
      response_metadata: {
        finish_reason: this.#finishReason || (this.#calls.length > 0 ? 'tool_calls' : 'stop'),
        ...(this.#id !== undefined && { id: this.#id }),
        ...(this.#model !== undefined && { model_name: this.#model }),
      },
      ...(this.#usage && { usage_metadata: usageMetadata(this.#usage) }),
    }
  }

  /** A reply without a finish reason is still complete if the server marks its end or reports usage. */
  #expectWhole(): void {
    const isBroken = this.#calls.some(({ args }) => args.trim() !== '' && parseJson(args) === undefined)
    if ((!this.#isDone && !this.#usage) || isBroken)
      throw new ModelReplyError('the stream ended before the answer did', { usage: this.#usage })
    if (!this.#hasMessage) throw this.#unusable()
  }

  /** @returns the part of the message that has arrived since the last one; `undefined` if nothing has */
  take(): AIMessageChunkFields | undefined {
    const [content, reasoning, tool_call_chunks] = [this.#text, this.#reasoning, this.#pieces]
    this.#text = ''
    this.#reasoning = ''
    this.#pieces = []
    if (content === '' && reasoning === '' && tool_call_chunks.length === 0) return undefined
    return {
      content,
      ...(tool_call_chunks.length > 0 && { tool_call_chunks }),
      ...(reasoning !== '' && { additional_kwargs: { reasoning_content: reasoning } }),
    }
  }

  #readChoice(choice: Json): void {
    const { error, finish_reason, delta, message } = choice
    if (error) throw this.#errorIn(choice)
    const reason = textIn(finish_reason)
    // Routers report the failure of a provider behind them this way.
    if (reason === 'error') throw new ModelReplyError('the reply ended in an error', { usage: this.#usage })
    this.#finishReason ||= reason ?? ''
    if (message && delta === undefined) this.#isDone = true
    // Perplexity repeats the message so far beside each delta, and sends a whole reply beside an empty one.
    const isWhole = delta === undefined || (isObject(message) && !this.#hasText && isEmpty(delta))
    const part = isWhole ? message : delta
    if (!isObject(part)) return
    this.#hasMessage = true
    this.#readMessage(part, isWhole)
    this.#hasText ||= this.#text !== '' || this.#pieces.length > 0
  }

  #readMessage(message: Json, isWhole: boolean): void {
    const { content, refusal, tool_calls: calls } = message
    for (const [name, value] of Object.entries(message)) if (WORDS.test(name)) this.#readWords(name, value)
    this.#refusal += textIn(refusal) ?? ''
    this.#readContent(content)
    if (calls === undefined || calls === null) return
    if (!Array.isArray(calls)) throw this.#unusable()
    for (const call of calls) this.#readCall(call, isWhole)
  }

  #readContent(content: unknown): void {
    if (content === undefined || content === null) return
    if (Array.isArray(content)) {
      for (const part of content) this.#readPart(part)
      return
    }
    // Cloudflare's JSON mode answers with the object itself.
    const text = isObject(content) ? JSON.stringify(content) : content
    if (typeof text !== 'string') throw this.#unusable()
    this.#text += this.#markup.add(text)
    this.#reasoning += this.#markup.takeReasoning()
  }

  #readPart(part: unknown): void {
    if (!isObject(part) || typeof part.type !== 'string') throw this.#unusable()
    if (part.type === 'text') {
      if (typeof part.text !== 'string') throw this.#unusable()
      this.#readContent(part.text)
    }
    if (part.type === 'refusal') this.#refusal += textIn(part.refusal) ?? ''
    // Mistral sends reasoning as content parts.
    if (part.type === 'thinking')
      for (const thought of [part.thinking].flat())
        this.#reasoning += textIn(isObject(thought) ? thought.text : thought) ?? ''
  }

  #readWords(name: string, value: unknown): void {
    if (value === undefined || value === null) return
    const isReasoning = name === 'reasoning' || name === 'reasoning_content'
    // Some servers send both, with the same text.
    const isTwin = name === 'reasoning' && this.#words.reasoning_content !== undefined
    if (isReasoning && !isTwin) this.#reasoning += textIn(value) ?? ''
    this.#words[name] = joined(this.#words[name], value)
  }

  #readCall(piece: unknown, isWhole: boolean): void {
    if (!isObject(piece) || !isObject(piece.function)) throw this.#unusable()
    const { index, function: called } = piece
    const [id = '', name = ''] = [textIn(piece.id), textIn(called.name)]
    // They should be JSON in a string; some servers send plain JSON, or nothing for a tool without arguments.
    const args = toText(called.arguments ?? '')
    const call = isWhole ? this.#begin(index) : this.#callFor({ index, id, name, args })
    this.#grow(call, id, name, args)
    for (const [key, value] of Object.entries({ ...called, ...piece }))
      if (WORDS.test(key)) call.words[key] = joined(call.words[key], value)
  }

  /** Finds the call a piece belongs to, since servers omit the index, send 0 for every call, or repeat id and name. */
  #callFor(piece: { index: unknown; id: string; name: string; args: string }): OpenCall {
    const { index, id, name, args } = piece
    const hasIndex = index !== undefined && index !== null
    const known = hasIndex ? this.#calls.findLast(call => call.index === index) : this.#calls.at(-1)
    if (!known) return this.#begin(index)
    const hasOtherId = id !== '' && known.id !== '' && id !== known.id
    // Only a piece with a name may begin a call, and few others end like an object, so that little is parsed twice.
    const isComplete = () =>
      args !== '' && /\}\s*$/.test(known.args.slice(-8)) && parseJson(known.args) !== undefined
    return name !== '' && (hasOtherId || isComplete()) ? this.#begin(index) : known
  }

  #begin(index: unknown): OpenCall {
    const call: OpenCall = { index, id: '', name: '', args: '', words: {} }
    this.#calls.push(call)
    return call
  }

  /** Adds to a call. What arrives together of one call is one piece. */
  #grow(call: OpenCall, id: string, name: string, args: string): void {
    const added = { id: call.id === '' ? id : '', name: call.name === '' ? name : '', args }
    call.id += added.id
    call.name += added.name
    call.args += args
    const index = this.#calls.indexOf(call)
    const last = this.#pieces.at(-1)
    if (last?.index !== index) this.#pieces.push({ ...added, index, type: 'tool_call_chunk' })
    else {
      last.id += added.id
      last.name += added.name
      last.args += args
    }
  }

  /** Usage is in the last chunk, in some servers' choice, or in Groq's `x_groq`. */
  #readUsage({ usage, x_groq, choices }: Json): void {
    const inChoice = Array.isArray(choices) && isObject(choices[0]) ? choices[0].usage : undefined
    const found = [usage, isObject(x_groq) ? x_groq.usage : undefined, inChoice].find(isObject)
    if (found) this.#usage = found
  }

  #errorIn(reply: unknown): ProviderError {
    return new ProviderError(reply, { usage: this.#usage })
  }

  #unusable(): ModelReplyError {
    return new ModelReplyError('no usable message in the reply', { usage: this.#usage })
  }
}

/** Google wraps an error in a list. */
function isListOfErrors(chunk: unknown): boolean {
  return Array.isArray(chunk) && isObject(chunk[0]) && Boolean(chunk[0].error)
}

function firstChoiceOf({ choices }: Json): Json | undefined {
  return Array.isArray(choices)
    ? choices.find(choice => isObject(choice) && (choice.index ?? 0) === 0)
    : undefined
}

function usageMetadata(usage: ReportedUsage): UsageMetadata {
  const input = tokensIn(usage.prompt_tokens) ?? 0
  const output = tokensIn(usage.completion_tokens) ?? 0
  const cached = tokensIn(usage.prompt_tokens_details?.cached_tokens)
  const reasoning = tokensIn(usage.completion_tokens_details?.reasoning_tokens)
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: tokensIn(usage.total_tokens) ?? input + output,
    ...(cached && { input_token_details: { cache_read: cached } }),
    ...(reasoning && { output_token_details: { reasoning } }),
  }
}

function isEmpty(delta: unknown): boolean {
  return isObject(delta) && !delta.content && !delta.tool_calls && !delta.refusal && !delta.reasoning_content
}

/** Merges two pieces of a member: strings are concatenated, and so are the pieces of a list entry. */
function joined(known: unknown, piece: unknown): unknown {
  if (known === undefined || known === null) return piece
  if (piece === undefined || piece === null) return known
  if (typeof known === 'string' && typeof piece === 'string') return known + piece
  if (Array.isArray(known) && Array.isArray(piece)) return piece.reduce(withEntry, known)
  if (!isObject(known) || !isObject(piece)) return piece
  return Object.fromEntries(
    [...new Set([...Object.keys(known), ...Object.keys(piece)])].map(key => [
      key,
      // Each piece repeats the members that identify its entry.
      /^(type|id|index|format)$/.test(key) ? (piece[key] ?? known[key]) : joined(known[key], piece[key]),
    ]),
  )
}

/** Pieces share their entry's `index`; without one, they belong to the last entry until it is signed. */
function withEntry(known: readonly unknown[], piece: unknown): readonly unknown[] {
  const isPart = (entry: unknown) => {
    if (!isObject(entry) || !isObject(piece) || entry.type !== piece.type) return false
    if (piece.index !== undefined) return entry.index === piece.index
    return entry === known.at(-1) && typeof piece.signature === 'string' && !entry.signature
  }
  const at = known.findLastIndex(isPart)
  return at < 0 ? [...known, piece] : known.with(at, joined(known[at], piece))
}
