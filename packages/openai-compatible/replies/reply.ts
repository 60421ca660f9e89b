import { isDeepStrictEqual } from 'node:util'
import type { Asked } from '@agent-task-service/messages/asked'
import { isWhole } from '@agent-task-service/messages/finish-reason'
import { OfferedTools } from '@agent-task-service/messages/offered-tools'
import { TextReader } from '@agent-task-service/messages/text-reader'
import { costIn, mergedUsage, type ReportedUsage, usageMetadata } from '@agent-task-service/messages/usage'
import { type WrittenRules, writtenId } from '@agent-task-service/messages/written-call'
import { type JsonObject, textIn } from '@agent-task-service/wire/untrusted'
import type { AIMessageChunkFields } from '@langchain/core/messages'
import type { CallOptions, ProviderWords } from '../call.ts'
import { ModelReplyError } from '../errors.ts'
import { type CallPiece, joined, StreamedCalls } from './calls.ts'

const NONE: WrittenRules = { accepts: () => false }

/** What is known of a reply only at its end. */
interface About {
  readonly id?: string | undefined
  readonly model?: string | undefined
}

/** One reply, as whoever reads its chunks tells of it: text, reasoning, calls, usage, and how it ends. */
export class StreamedReply {
  readonly #origin: string
  readonly #text: TextReader
  readonly #calls: StreamedCalls
  readonly #written: WrittenRules
  #words: JsonObject = {}
  #items: readonly JsonObject[] | undefined
  #about: About = {}
  #refusal = ''
  #usage: ReportedUsage | undefined
  #finishReason = ''
  /** Whether more came behind a finish: it means nothing in this reply. */
  #hasIdleFinish = false
  #hasMessage = false
  #hasText = false
  #inPlaceOfText = ''
  /** What has arrived since the last part. */
  #answer = ''
  #reasoning = ''
  #hasHeld = false
  #isEnded = false
  /** How often something has arrived; a heartbeat is nothing. */
  arrivals = 0

  /**
   * @param origin the model called
   * @param options of the call
   * @param asked what the call asks
   */
  constructor(origin: string, { tools = [], written = NONE }: CallOptions = {}, asked?: Asked) {
    this.#origin = origin
    this.#written = written
    const offered = new OfferedTools(tools)
    this.#text = new TextReader(offered, { asked })
    this.#calls = new StreamedCalls(offered)
  }

  /** Whether the server has marked the end of the reply. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  get usage(): ReportedUsage | undefined {
    return this.#usage
  }

  /** Whether all has come as far as one can tell, though the server has not marked the end. */
  get isFinished(): boolean {
    return this.#finishReason !== '' && !this.#hasIdleFinish
  }

  get hasCalls(): boolean {
    return this.#calls.count > 0
  }

  /** There is a message, perhaps without a word. */
  begin(): void {
    this.#hasMessage = true
  }

  /** @param text what is none says nothing; so it is with thoughts and refusals */
  say(text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    this.#arrive()
    this.#hasText ||= text.trim() !== ''
    this.#addText(text)
  }

  /** @param text of what came in place of one */
  sayIfNothingElse(text: string): void {
    this.#arrive()
    this.#inPlaceOfText ||= text
  }

  #addText(text: string): void {
    this.#answer += this.#text.add(text)
    this.#reasoning += this.#text.takeReasoning()
    this.#hasHeld ||= this.#text.isHolding
  }

  think(text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    this.#arrive()
    this.#reasoning += text
  }

  refuse(text: unknown): void {
    this.#refusal += textIn(text) ?? ''
  }

  /** @param isWhole whether the call comes in this one piece */
  call(piece: CallPiece, isWhole = false): void {
    this.#arrive()
    if (isWhole) this.#calls.addWhole(piece)
    else this.#calls.add(piece)
  }

  /** Keeps a member that the provider added and expects back. */
  keep(name: string, value: unknown): void {
    this.#words = { ...this.#words, [name]: joined(this.#words[name], value) }
  }

  /** Keeps the items of a turn, which the Responses API expects back. */
  keepItems(items: readonly JsonObject[]): void {
    this.#items = items
  }

  isKept(name: string): boolean {
    return this.#words[name] !== undefined
  }

  report(usage: ReportedUsage): void {
    const merged = mergedUsage(this.#usage, usage)
    // Some heartbeats repeat the last chunk.
    if (isDeepStrictEqual(merged, this.#usage)) return
    this.arrivals += 1
    this.#usage = merged
  }

  tell({ id, model }: About): void {
    const known = this.#about
    if (known.id === undefined || known.model === undefined)
      this.#about = { id: known.id ?? id, model: known.model ?? model }
  }

  /** @param reason the provider's word for why the reply ends here */
  finish(reason: string): void {
    if (reason === this.#finishReason) return
    this.arrivals += 1
    this.#finishReason = reason
  }

  markEnd(): void {
    this.arrivals += 1
    this.#isEnded = true
  }

  /** Content behind a finish proves that it was none. */
  #arrive(): void {
    this.arrivals += 1
    this.#hasMessage = true
    if (this.#finishReason === '') return
    this.#hasIdleFinish = true
    this.#finishReason = ''
  }

  /**
   * @returns the part of the message that has arrived since the last one; "held" if some has that is not yet certain;
   *   `undefined` if nothing has
   */
  take(): AIMessageChunkFields | 'held' | undefined {
    const [content, reasoning, hasHeld] = [this.#answer, this.#reasoning, this.#hasHeld]
    const calls = this.#calls.take()
    this.#answer = ''
    this.#reasoning = ''
    this.#hasHeld = false
    if (content === '' && reasoning === '' && calls.length === 0) return hasHeld ? 'held' : undefined
    return {
      content,
      ...(calls.length > 0 && { tool_call_chunks: calls }),
      ...(reasoning !== '' && { additional_kwargs: { reasoning_content: reasoning } }),
    }
  }

  /**
   * @returns the rest of the message, with what is known only at its end
   * @throws {ModelReplyError} if the reply ended before the model had finished
   */
  end(): AIMessageChunkFields {
    if (!this.#hasText && this.#inPlaceOfText !== '') this.#addText(this.#inPlaceOfText)
    // Some servers leave in the text what they have read as calls.
    const { hasCalls } = this
    const { max } = this.#written
    this.#answer += this.#text.end(
      { max, accepts: (calls, how) => hasCalls || (calls.length > 0 && this.#written.accepts(calls, how)) },
      this.#finishReason !== '' && !isWhole(this.#finishReason),
    )
    this.#reasoning += this.#text.takeReasoning()
    if (!hasCalls)
      for (const [at, { name, args }] of this.#text.calls.entries())
        this.#calls.addWhole({ id: writtenId(at + 1), name, args })
    if (this.#finishReason === '' && !this.#hasIdleFinish) this.#expectWhole()
    const part = this.take()
    const { additional_kwargs, ...brought } = typeof part === 'object' ? part : { content: '' }
    const { id } = this.#about
    return {
      ...brought,
      ...(id !== undefined && { id }),
      additional_kwargs: { ...additional_kwargs, ...this.#notes() },
      response_metadata: this.#metadata(),
      ...(this.#usage && { usage_metadata: usageMetadata(this.#usage) }),
    }
  }

  #metadata(): Record<string, unknown> {
    const { id, model } = this.#about
    const cost = costIn(this.#usage ?? {})
    return {
      finish_reason: this.#finishReason || (this.hasCalls ? 'tool_calls' : 'stop'),
      ...(id !== undefined && { id }),
      ...(model !== undefined && { model_name: model }),
      // Where LangChain's class has all of the provider's usage.
      ...(cost !== undefined && { usage: { cost } }),
    }
  }

  /** Members of the message beside those of the protocol. */
  #notes(): Record<string, unknown> {
    const { answerStartsAt } = this.#text
    const calls = this.#calls.words
    const items = this.#items
    const hasWords = items || [this.#words, ...calls].some(each => Object.keys(each).length > 0)
    const words: ProviderWords = {
      origin: this.#origin,
      message: this.#words,
      calls,
      ...(items && { items }),
    }
    return {
      ...(this.#refusal !== '' && { refusal: this.#refusal }),
      ...(hasWords && { provider_words: words }),
      ...(answerStartsAt > 0 && { answer_starts_at: answerStartsAt }),
    }
  }

  /** A reply without a finish reason is still complete if the server marks its end or reports usage. */
  #expectWhole(): void {
    if ((!this.#isEnded && !this.#usage) || !this.#calls.areWhole)
      throw new ModelReplyError('the stream ended before the answer did', { usage: this.#usage })
    if (!this.#hasMessage) throw this.unusable()
  }

  unusable(): ModelReplyError {
    return new ModelReplyError('no usable message in the reply', { usage: this.#usage })
  }
}
