import { reasonIn } from '@agent-task-service/messages/finish-reason'
import {
  hasMembers,
  isObject,
  type JsonObject,
  membersOf,
  objectsIn,
  textIn,
} from '@agent-task-service/wire/untrusted'
import { ModelReplyError, ProviderError } from '../errors.ts'
import { argumentsIn } from './calls.ts'
import type { StreamedReply } from './reply.ts'

/** Members that providers add to a turn and expect back: reasoning and its signatures. */
const WORDS = /^(reasoning|thinking|thought|signature|extra_content$|provider_specific_fields$)/

/**
 * Reads one reply of chat completions, in pieces or whole, and repairs common deviations from the protocol: a missing role,
 * usage in another place, content in parts, arguments as plain JSON, a finish that is none, the only choice under another index.
 *
 * Of a chunk with one choice, that one is read; of several, the one with index 0 or none. In a stream the choice that first
 * brings a part of the message is the reply; once another brings one too, all that comes of others is left out.
 */
export class ChatReader {
  readonly reply: StreamedReply
  #hasText = false
  /** Index of the choice that is the reply, once a part of the message has come. */
  #index: unknown
  #hasOthers = false

  constructor(reply: StreamedReply) {
    this.reply = reply
  }

  /**
   * @param chunk a parsed stream event, a whole reply, or `[DONE]`
   * @throws {ProviderError} if the chunk reports an error; {ModelReplyError} if it does not follow the protocol
   */
  read(chunk: unknown): void {
    if (chunk === '[DONE]') {
      this.reply.markEnd()
      return
    }
    // Google wraps an error in a list.
    if (objectsIn(chunk)[0]?.error) throw this.#errorIn(chunk)
    // Heartbeats come as null, as a number or as an empty list.
    if (!isObject(chunk)) return
    this.#readUsage(chunk)
    if (chunk.error || chunk.object === 'error') throw this.#errorIn(chunk)
    this.reply.tell({ id: textIn(chunk.id), model: textIn(chunk.model) })
    const choice = this.#choiceIn(chunk)
    if (choice && !this.#isOfAnother(choice)) this.#readChoice(choice)
  }

  #choiceIn({ choices }: JsonObject): JsonObject | undefined {
    const all = objectsIn(choices)
    return all.length === 1 ? all[0] : all.find(choice => indexOf(choice) === (this.#index ?? 0))
  }

  /** Some servers change the index within their only choice, so that a finish or a role is no proof of another. */
  #isOfAnother(choice: JsonObject): boolean {
    if (this.#index === undefined || indexOf(choice) === this.#index) return false
    const { delta, message } = choice
    this.#hasOthers ||= [delta, message].some(part => isObject(part) && !isEmpty(part))
    return this.#hasOthers
  }

  #readChoice(choice: JsonObject): void {
    const { error, finish_reason, delta, message } = choice
    if (error) throw this.#errorIn(choice)
    const reason = reasonIn(finish_reason)
    // Routers report the failure of a provider behind them this way.
    if (reason === 'error')
      throw new ModelReplyError('the reply ended in an error', { usage: this.reply.usage })
    // Perplexity repeats the message so far beside each delta, and sends a whole reply beside an empty one.
    const isWhole = delta === undefined || (isObject(message) && !this.#hasText && isEmpty(delta))
    // Some servers end a stream with all of its message.
    const part = isWhole && !this.#hasText ? message : delta
    if (isObject(part)) {
      this.reply.begin()
      this.#hasText ||= !isEmpty(part)
      const { arrivals } = this.reply
      this.#readMessage(part, isWhole)
      if (this.reply.arrivals > arrivals) this.#index ??= indexOf(choice)
    }
    if (reason !== undefined && reason !== 'null') this.reply.finish(reason)
    if (message && delta === undefined) this.reply.markEnd()
  }

  #readMessage(message: JsonObject, isWhole: boolean): void {
    const { content, refusal, tool_calls: calls, function_call: call } = message
    for (const [name, value] of Object.entries(message)) if (WORDS.test(name)) this.#readWords(name, value)
    this.reply.refuse(refusal)
    this.#readContent(content)
    // The protocol's first form of a call.
    if (isObject(call)) this.#readCall({ function: call }, isWhole)
    if (calls === undefined || calls === null) return
    if (!Array.isArray(calls)) throw this.reply.unusable()
    for (const call of calls) this.#readCall(call, isWhole)
  }

  #readContent(content: unknown): void {
    this.reply.say(content)
    if (Array.isArray(content)) for (const part of content) this.#readPart(part)
    // Cloudflare's JSON mode answers with the object itself.
    else if (hasMembers(content)) this.reply.sayIfNothingElse(JSON.stringify(content))
  }

  #readPart(part: unknown): void {
    if (!isObject(part) || typeof part.type !== 'string') throw this.reply.unusable()
    if (part.type === 'text') this.reply.say(part.text)
    if (part.type === 'refusal') this.reply.refuse(part.refusal)
    // Mistral sends reasoning as content parts.
    if (part.type === 'thinking')
      for (const thought of [part.thinking].flat())
        this.reply.think(isObject(thought) ? thought.text : thought)
  }

  #readWords(name: string, value: unknown): void {
    if (value === undefined || value === null) return
    const isReasoning = name === 'reasoning' || name === 'reasoning_content'
    // Some servers send both, with the same text.
    const isTwin = name === 'reasoning' && this.reply.isKept('reasoning_content')
    if (isReasoning && !isTwin) this.reply.think(value)
    this.reply.keep(name, value)
  }

  #readCall(piece: unknown, isWhole: boolean): void {
    if (!isObject(piece) || !isObject(piece.function)) throw this.reply.unusable()
    const { index, function: called } = piece
    const members = Object.entries({ ...called, ...piece })
    const read = {
      index,
      id: textIn(piece.id) ?? '',
      name: textIn(called.name) ?? '',
      // They should be JSON in a string; some servers send plain JSON, or nothing for a tool without arguments.
      args: argumentsIn(called),
      words: Object.fromEntries(members.filter(([name]) => WORDS.test(name))),
    }
    this.reply.call(read, isWhole)
  }

  /** Usage is in the last chunk, in some servers' choice, or in Groq's `x_groq`. */
  #readUsage({ usage, x_groq, choices }: JsonObject): void {
    const found = [usage, membersOf(x_groq).usage, objectsIn(choices)[0]?.usage].find(isObject)
    if (found) this.reply.report(found)
  }

  #errorIn(reply: unknown): ProviderError {
    return new ProviderError(reply, { usage: this.reply.usage })
  }
}

function indexOf({ index }: JsonObject): unknown {
  return index ?? 0
}

function isEmpty(delta: unknown): boolean {
  if (!isObject(delta)) return false
  const { content, refusal, reasoning_content: reasoning, tool_calls: calls } = delta
  const isText = [content, refusal, reasoning].some(part => textIn(part) !== undefined)
  return !isText && !hasMembers(content) && !calls
}
