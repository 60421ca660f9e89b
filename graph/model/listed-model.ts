import { setTimeout as sleep } from 'node:timers/promises'
import type { BaseChatModel, BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { AIMessage, AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import type { RunnableConfig } from '@langchain/core/runnables'
import { RunFailure } from '../run/failure.ts'
import { fairShare } from '../run/fair-share.ts'
import { isCut, isWithheld } from '../run/finish-reason.ts'
import type { CallMetadata } from '../run/recorder.ts'
import type { Run } from '../run/run.ts'
import { estimateTokens } from '../run/tokens.ts'
import { Breaker } from './breaker.ts'
import type { ModelEntry } from './models.ts'
import { patienceFor, withPatience } from './patience.ts'
import { acceptedCap, contextIn, judge, type Verdict, waitBeforeRetry } from './retry.ts'
import { shortened } from './shorten.ts'
import { tidyReply } from './tidy-reply.ts'

/** Share of a model's context that a shortened conversation may fill. */
const FILLED = 0.8

/** One model call, shared by all its tries on all models. */
export interface ModelCall {
  readonly messages: BaseMessage[]
  readonly tools: BindToolsInput[]
  /** Options for binding the tools, such as `tool_choice`. */
  readonly binding: Readonly<Record<string, unknown>>
  readonly config: RunnableConfig
  /** Ends the call: combines the run's end and the caller's signal. */
  readonly signal: AbortSignal
  readonly run: Run | undefined
  readonly number: number
  /** Tries so far, on all models. */
  attempts: number
  /** How many of them were given up because the model was silent. */
  stalls: number
  /** Whether to stop if the call stalls past the soft deadline, because its caller has something shorter to ask. */
  readonly endsAtSoftDeadline: boolean
}

/** The model was given up. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp'
  readonly verdict: Verdict
  /** It stalled past the soft deadline, and its caller has something shorter to ask. */
  readonly isLate: boolean

  constructor(verdict: Verdict, isLate: boolean) {
    super(verdict.failure.message)
    this.verdict = verdict
    this.isLate = isLate
  }
}

/** One model of the list, with its retries, its breaker, and what its provider is known to refuse. */
export class ListedModel {
  readonly entry: ModelEntry
  readonly breaker = new Breaker()
  /** Learnt from the provider's refusals; kept for the life of the process. */
  readonly #limits: { cap?: number; context?: number; refusesNoChoice?: boolean } = {}
  #uncapped: BaseChatModel | undefined
  #lastFailure = ''

  constructor(entry: ModelEntry) {
    this.entry = entry
  }

  /** A run was lost to this model. */
  lost(failure: Error): void {
    this.breaker.failed()
    this.#lastFailure = failure.message
  }

  /** Why the model is skipped. */
  get skipped(): RunFailure {
    const message = `${this.#lastFailure}; it failed several runs in a row and is skipped for up to 30 s`
    return new RunFailure('model_unavailable', message)
  }

  get name(): string {
    return this.entry.name
  }

  /**
   * Calls the model, retrying within the run's time and budget.
   *
   * @param hasNext whether there is another model to fall back to
   * @returns the tidied reply; empty if the model keeps answering with nothing
   * @throws {GivenUp} if the model does not answer; the signal's reason if the run has ended
   */
  async ask(call: ModelCall, hasNext: boolean): Promise<AIMessageChunk> {
    const { run, signal, endsAtSoftDeadline } = call
    let request = await this.#fitting(call)
    const mended = new Set<string>()
    const sent: SentCap = { maxTokens: undefined }
    for (let tries = 1; ; tries += 1) {
      call.attempts += 1
      let verdict: Verdict
      try {
        const patienceMs = patienceFor(run, {
          tries,
          hasNext,
          endsAtSoftDeadline,
          set: this.entry.patienceMs,
        })
        const reply = tidyReply(await this.#try(request, call.attempts, sent, patienceMs), call.messages)
        if (!isEmpty(reply) || (mended.has('empty') && !hasNext)) return reply
        if (mended.has('empty')) throw new RunFailure('empty_answer', 'the model gave an empty answer')
        mended.add('empty')
        continue
      } catch (error) {
        signal.throwIfAborted()
        verdict = judge(error)
        if (verdict.trouble === 'stalled') call.stalls += 1
        if (!mended.has(verdict.trouble)) {
          mended.add(verdict.trouble)
          const other = await this.#mended(request, verdict, sent)
          if (other) {
            request = other
            continue
          }
        }
      }
      const wait = waitBeforeRetry(
        verdict,
        tries,
        run?.budget.timeLeftMs ?? Number.POSITIVE_INFINITY,
        hasNext,
      )
      const isLate = verdict.trouble === 'stalled' && endsAtSoftDeadline && run?.budget.wrapUp !== undefined
      if (wait === undefined || isLate) throw new GivenUp(verdict, isLate)
      if (wait > 0) await sleep(wait, undefined, { signal })
    }
  }

  async #try(
    call: ModelCall,
    attempt: number,
    sent: SentCap,
    patienceMs: number | undefined,
  ): Promise<AIMessage> {
    const { entry } = this
    const { messages, tools, binding, config, run, number } = call
    const ask = async (cap: number | undefined) => {
      const maxTokens = cap === undefined ? undefined : Math.min(cap, this.#limits.cap ?? cap)
      sent.maxTokens = maxTokens
      const model = this.#made(maxTokens)
      const metadata: CallMetadata = { model: entry.name, attempt, call: number, max_tokens: maxTokens }
      await fairShare()
      const asked = tools.length > 0 && model.bindTools ? model.bindTools(tools, binding) : model
      return await withPatience(patienceMs, call.signal, async (signal, advance) => {
        const stop = run?.recorder.onProgress(number, advance)
        const options = { ...config, metadata: { ...config.metadata, ...metadata }, signal }
        return (await asked.invoke(messages, options).finally(stop)) as AIMessage
      })
    }
    return run ? await run.underCap(messages, ask) : await ask(undefined)
  }

  #made(maxTokens: number | undefined): BaseChatModel {
    if (maxTokens === undefined && this.#uncapped) return this.#uncapped
    const model = this.entry.create(maxTokens === undefined ? {} : { maxTokens })
    if (this.entry.stream === false) model.disableStreaming = true
    if (maxTokens === undefined) this.#uncapped = model
    return model
  }

  /** The call without what its provider has just refused; `undefined` if there is no other way to ask. */
  async #mended(
    call: ModelCall,
    { trouble, failure }: Verdict,
    { maxTokens }: SentCap,
  ): Promise<ModelCall | undefined> {
    const { message = '' } = (failure.cause ?? {}) as Error
    if (trouble === 'cap_too_high' && maxTokens !== undefined && maxTokens > 1) {
      this.#limits.cap = acceptedCap(message, maxTokens)
      return call
    }
    if (trouble === 'context_too_long' || trouble === 'cap_too_high') {
      this.#limits.context = contextIn(message) ?? this.#limits.context
      const messages = await shortened(call.messages, await this.#excess(call.messages))
      return messages && { ...call, messages }
    }
    if (trouble === 'rejected' && call.binding.tool_choice === 'none') {
      this.#limits.refusesNoChoice = /tool/i.test(message)
      return { ...call, tools: [], binding: {} }
    }
    return undefined
  }

  async #fitting(call: ModelCall): Promise<ModelCall> {
    const { refusesNoChoice, context } = this.#limits
    const asked =
      refusesNoChoice && call.binding.tool_choice === 'none' ? { ...call, tools: [], binding: {} } : call
    if (context === undefined) return asked
    const excess = await this.#excess(call.messages)
    const messages = excess !== undefined && excess > 0 ? await shortened(call.messages, excess) : undefined
    return messages ? { ...asked, messages } : asked
  }

  /** Tokens by which a conversation exceeds what the model accepts, leaving room for its answer; `undefined` if not known. */
  async #excess(messages: readonly BaseMessage[]): Promise<number | undefined> {
    const { context } = this.#limits
    if (context === undefined) return undefined
    return (await estimateTokens(messages.map(({ text }) => text))) - context * FILLED
  }
}

interface SentCap {
  maxTokens: number | undefined
}

function isEmpty(reply: AIMessageChunk): boolean {
  const hasRefusal = Array.isArray(reply.content) && reply.content.length > 0
  if (hasRefusal || isCut(reply) || isWithheld(reply)) return false
  return reply.text.trim() === '' && reply.tool_calls?.length === 0
}
