import { setTimeout as sleep } from 'node:timers/promises'
import { acceptableMessages } from '@agent-task-service/messages/acceptable-messages'
import { Asked } from '@agent-task-service/messages/asked'
import { endOf, finishReasonOf, isWithheld, promisesCalls } from '@agent-task-service/messages/finish-reason'
import { plainText } from '@agent-task-service/messages/message-text'
import { normalizeReply } from '@agent-task-service/messages/normalize-reply'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import { isWrittenId } from '@agent-task-service/messages/written-call'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { AIMessage, AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import type { RunnableConfig } from '@langchain/core/runnables'
import { type ClassifiedError, classifyModelError } from '../failures/classify-error.ts'
import type { ModelTrouble } from '../failures/model-trouble.ts'
import { RunFailure } from '../failures/run-failure.ts'
import type { LimitReason } from '../failures/stop-reason.ts'
import { gatherArguments } from '../langchain-cost/gathered-arguments.ts'
import { withTools } from '../langchain-cost/with-tools.ts'
import { RunContext, readContext } from '../run/context.ts'
import { fairShare } from '../run/fair-share.ts'
import { ownRetries } from '../run/own-retries.ts'
import type { Run } from '../run/run.ts'
import type { CallMetadata } from '../run/run-callback-handler.ts'
import {
  adaptToRefusal,
  applyKnownLimits,
  CalledInstead,
  type KnownLimits,
  type ModelCallRequest,
} from './adapt-to-refusal.ts'
import { MAX_ATTEMPTS, waitBeforeRetry } from './backoff.ts'
import { Breaker } from './breaker.ts'
import type { ModelEntry } from './model-entry.ts'
import { withPatience } from './patience.ts'
import { RefusedTools } from './refused-tools.ts'
import { ReplyEnds } from './reply-ends.ts'
import { ShortOutage } from './short-outage.ts'
import { taskTooLong } from './task-too-long.ts'
import { forces } from './tool-request.ts'
import { isOpenAICompatible, readsCalls, WrittenCalls } from './written-calls.ts'

/** Default patience, as a share of the run's time: leaves time for another try and for the next model. */
const PATIENCE = 0.15
/** Share of the run's time in which a model may be tried again while there is a next one. */
const RETRY_WINDOW = 0.2
/** Healthy models may take this long for their first word. */
const LEAST_PATIENCE_MS = 1_000
/** Share of the run's time that is kept for an answer from a model that only reasons. */
const ANSWER_RESERVE = 0.2

/** One model call, shared by all its tries on all models. */
export interface ModelCall extends ModelCallRequest {
  readonly config: RunnableConfig
  /** Ends the call: combines the run's end and the caller's signal. */
  readonly signal: AbortSignal
  readonly run: Run | undefined
  readonly number: number
  /** Tries so far, on all models. */
  attempts: number
  /** Whether to stop if the call stalls past the soft deadline, because its caller has something shorter to ask. */
  readonly endsAtSoftDeadline: boolean
  /** The limit because of which the model is asked for an answer, if any. */
  readonly wrapUp: LimitReason | undefined
  /** While records of earlier calls are left: whether it counts as one past the soft deadline. Absent: the time decides. */
  readonly wasPastSoftDeadline: boolean | undefined
}

/** What is known while one model is asked. */
interface RetryState {
  readonly call: ModelCall
  /** Whether there is another model to fall back to. */
  readonly hasNext: boolean
  /** Milliseconds in which it may be tried again before it is the next model's turn. */
  readonly windowLeftMs: () => number
  tries: number
  /** Of them, those that a short outage refused before the call waited for its end. */
  outages: number
  /** As sent in the next try. */
  request: ModelCallRequest
  limits: KnownLimits
  /** Troubles that the request has been adapted to; once each. */
  readonly adaptedTo: Set<ModelTrouble>
  /** The latest reply that ended in an unknown way. */
  half: AIMessageChunk | undefined
}

/** Asks one model of the list until it answers or is given up, within the limits that it is known to have. */
export class ModelWithRetries {
  readonly entry: ModelEntry
  readonly breaker = new Breaker()
  readonly #outage = new ShortOutage()
  /** What it has refused, by run. */
  readonly #limits = new WeakMap<object, KnownLimits>()
  readonly #refusedTools = new RefusedTools()
  /** Tools with side effects that run even if their call was written. */
  readonly #writtenCalls: readonly string[]
  readonly #ends = new ReplyEnds()
  #uncapped: BaseChatModel | undefined
  /** Whether it has made a call: then it does not write any. Never forgotten. */
  #hasMadeCall = false

  constructor(entry: ModelEntry, writtenCalls: readonly string[]) {
    this.entry = entry
    this.#writtenCalls = writtenCalls
  }

  get uncapped(): BaseChatModel {
    return this.#withCap(undefined)
  }

  /** LangSmith's name of its provider, its class, and what that does by itself. */
  get kind() {
    const model = this.uncapped
    const { ls_provider: provider = 'unknown' } = model.getLsParams({} as never)
    const takesTools = model.bindTools !== undefined
    return { provider, chatClass: model.constructor.name, takesTools, retries: ownRetries(model.toJSON()) }
  }

  /** Like `ask`, without the tools that the model's provider refuses. */
  async askWithoutRefused(call: ModelCall, hasNext: boolean): ReturnType<ModelWithRetries['ask']> {
    const { run, messages, tools, binding } = call
    return await this.#refusedTools.ask({
      run: run ?? call,
      messages,
      tools,
      mayCall: binding.tool_choice !== 'none',
      needs: tool => isNeeded(nameOf(tool), call),
      mustWrapUp: () => run?.budget.wrapUp !== undefined,
      ask: async offered => {
        const asked = { ...call, tools: [...offered] }
        const outcome = await this.ask(asked, hasNext)
        call.attempts = asked.attempts
        return outcome
      },
      onLearnt: refusedTools =>
        run?.callbackHandler.record({
          type: 'model_learnt',
          data: { model: this.entry.name, facts: { refusedTools } },
        }),
    })
  }

  /**
   * Calls the model, retrying within the run's time and budget.
   *
   * @param hasNext whether there is another model to fall back to
   * @returns the normalized reply, empty if the model keeps answering with nothing; or why the model was given up, and
   *   whether it stalled past the soft deadline while its caller has something shorter to ask
   * @throws the signal's reason if the run has ended
   */
  async ask(
    call: ModelCall,
    hasNext: boolean,
  ): Promise<{ reply: AIMessageChunk } | { error: ClassifiedError; isPastSoftDeadline: boolean }> {
    const { run } = call
    const limits = (run && this.#limits.get(run)) ?? this.#ownLimits()
    const state: RetryState = {
      call,
      hasNext,
      windowLeftMs: windowFor(run, hasNext),
      tries: 0,
      outages: 0,
      request: await applyKnownLimits(call, limits),
      limits,
      adaptedTo: new Set(),
      half: undefined,
    }
    try {
      for (;;) {
        call.attempts += 1
        state.tries += 1
        await run?.stepJournal.assertOurs()
        const outcome = await this.#try(state)
        if ('reply' in outcome) return outcome
        const { error, sentCap } = outcome
        if (await this.#adapt(state, error, sentCap)) continue
        const isPastSoftDeadline = hasStalledPastSoftDeadline(error, call)
        if (!isPastSoftDeadline && (await this.#waitToRetry(state, error))) continue
        return await this.#giveUp(state, error, isPastSoftDeadline)
      }
    } finally {
      this.#outage.leave(call)
    }
  }

  /** Half of a reply is worth more than none, if no other model can give all of it. */
  async #giveUp(
    { half, hasNext, request, limits }: RetryState,
    error: ClassifiedError,
    isPastSoftDeadline: boolean,
  ) {
    if (error.isOutage) this.breaker.recordFailure()
    if (half && !hasNext && !isPastSoftDeadline) return { reply: half }
    return { error: await taskTooLong(error, request, limits), isPastSoftDeadline }
  }

  /** Waits until it is time to send the request again. @returns whether it is, or the model is given up */
  async #waitToRetry(state: RetryState, error: ClassifiedError): Promise<boolean> {
    const { call, hasNext } = state
    const { run, signal } = call
    if (error.isShortOutage && run && !hasNext) {
      const waitSignal = run.waitSignal()
      const wait = { leftMs: run.budget.answerLeftMs, retryAfterMs: error.retryAfterMs, waitSignal, signal }
      const end = await this.#outage.wait(call, wait)
      const hasWaited = state.outages > 0
      state.outages += 1
      if (end !== 'no_time') return end === 'again'
      if (hasWaited && !waitSignal.aborted) return false
    }
    const timeLeftMs = Math.min(timeLeftOf(run), state.windowLeftMs())
    // An outage does not use up the tries of other errors.
    const tries = error.isShortOutage ? state.tries : state.tries - state.outages
    const waitMs = waitBeforeRetry(error, tries, timeLeftMs, hasNext)
    if (waitMs !== undefined && waitMs > 0) await sleep(waitMs, undefined, { signal })
    return waitMs !== undefined
  }

  /**
   * Sends the request once, within the run's caps.
   *
   * @returns the normalized reply; or why there is none, and the cap that was sent
   * @throws the signal's reason if the run has ended
   */
  async #try(
    state: RetryState,
  ): Promise<{ reply: AIMessageChunk } | { error: ClassifiedError; sentCap: number | undefined }> {
    const { call, request, limits } = state
    const { run, signal } = call
    const asked = new Asked(request.messages)
    const written = this.#writtenCallsOf(state, asked)
    let sentCap: number | undefined
    const send = (left: number | undefined) => {
      sentCap = left === undefined ? undefined : Math.min(left, limits.cap ?? left)
      return this.#send(request, call, sentCap, this.#patienceMs(state), written)
    }
    try {
      const sent = run ? await run.underCap(request, this.entry, send) : await send(undefined)
      const known = {
        model: this.entry.name,
        tools: request.tools,
        takenIds: idsTakenIn(call),
        written,
        asked,
      }
      const { message: reply, unreadCall } = normalizeReply(sent, known)
      for (const id of idsIn([reply])) run?.replyIds.add(id)
      this.#hasMadeCall ||= (reply.tool_calls ?? []).some(({ id }) => !isWrittenId(id))
      this.#serves(call)
      expectMade(reply, written)
      this.#expectKnownEnd(reply, state)
      expectUsable(reply, unreadCall, state)
      return { reply }
    } catch (thrown) {
      signal.throwIfAborted()
      return { error: classifyModelError(thrown), sentCap }
    }
  }

  #writtenCallsOf({ request, adaptedTo, call }: RetryState, asked: Asked): WrittenCalls {
    return new WrittenCalls({
      request,
      asked,
      makesCalls: this.#hasMadeCall || readsCalls(this.uncapped),
      hasAsked: adaptedTo.has('empty_answer'),
      allowed: this.#writtenCalls,
      stepsLeft: call.run?.budget.toolCallsLeft,
    })
  }

  /**
   * Half of what ends in an unknown way may be missing, so the model is asked once more. If that ends in an unknown way too, it is
   * taken as cut; and if in the same one, the model has its own word for an end.
   *
   * @throws {RunFailure} the first time
   */
  #expectKnownEnd(reply: AIMessageChunk, state: RetryState): void {
    const { half, adaptedTo } = state
    const isEmpty = plainText(reply).trim() === '' && !reply.tool_calls?.length
    if (isEmpty || endOf(reply) !== 'unknown') return
    state.half = reply
    if (!adaptedTo.has('empty_answer')) throw new RunFailure('empty_answer', 'the model broke off its reply')
    const reason = finishReasonOf(reply)
    if (reason !== undefined && half && finishReasonOf(half) === reason) this.#ends.learn(reason)
  }

  /** Changes the request to what the refusal asks for. @returns whether there is another way to ask */
  async #adapt(state: RetryState, error: ClassifiedError, sentCap: number | undefined): Promise<boolean> {
    const { request, limits, adaptedTo, call } = state
    if (adaptedTo.has(error.trouble)) return false
    adaptedTo.add(error.trouble)
    const adapted = await adaptToRefusal(request, error, sentCap, limits)
    if (!adapted) return false
    state.request = adapted.request
    state.limits = this.#learn(limits, adapted.limits, call.run)
    return true
  }

  /** What LangChain's profile of the model says. */
  #ownLimits(): KnownLimits {
    const { maxInputTokens } = this.#withCap(undefined).profile
    return maxInputTokens ? { context: maxInputTokens } : {}
  }

  /** Keeps for the run what the model has refused. @returns all that it has refused so far */
  #learn(known: KnownLimits, refused: KnownLimits, run: Run | undefined): KnownLimits {
    const limits = { ...known, ...refused }
    if (run) this.#limits.set(run, limits)
    if (Object.keys(refused).length > 0)
      run?.callbackHandler.record({
        type: 'model_learnt',
        data: { model: this.entry.name, facts: { ...refused } },
      })
    return limits
  }

  /** Milliseconds without progress after which a try is given up; `undefined` if there is nothing else left to try. */
  #patienceMs({ call, hasNext, tries, windowLeftMs }: RetryState): number | undefined {
    const { run, endsAtSoftDeadline } = call
    if (!run) return undefined
    const { timeLeftMs, wrapUp } = run.budget
    const mayRetry = tries < MAX_ATTEMPTS
    const patienceMs = this.entry.patienceMs ?? Math.max(LEAST_PATIENCE_MS, run.limits.timeoutMs * PATIENCE)
    const hasOther = hasNext || (endsAtSoftDeadline && wrapUp !== undefined)
    if (!hasOther && !(mayRetry && timeLeftMs > 2 * patienceMs)) return undefined
    return tries === 1 ? patienceMs : Math.min(patienceMs, Math.max(LEAST_PATIENCE_MS, windowLeftMs()))
  }

  /** The model works on the call. */
  #serves(call: ModelCall): void {
    this.breaker.recordSuccess()
    this.#outage.serves(call)
  }

  async #send(
    { messages, tools, binding }: ModelCallRequest,
    call: ModelCall,
    callCap: number | undefined,
    patienceMs: number | undefined,
    written: WrittenCalls,
  ): Promise<AIMessage> {
    const { config, run, number, attempts, signal: end } = call
    const model = this.#withCap(callCap)
    const metadata: CallMetadata = {
      model: this.entry.name,
      attempt: attempts,
      call: number,
      max_tokens: callCap,
      wrap_up: call.wrapUp,
      past_soft_deadline: call.wasPastSoftDeadline,
    }
    await fairShare()
    const { model: boundModel, options } = withTools(model, tools, binding)
    const patience = {
      silentMs: patienceMs,
      reasoningMs: run && run.budget.timeLeftMs - run.limits.timeoutMs * ANSWER_RESERVE,
    }
    return await withPatience(patience, end, async (signal, advance) => {
      const stop = run?.callbackHandler.onProgress(number, progress => {
        this.#serves(call)
        advance(progress)
      })
      const callOptions = {
        ...options,
        ...(isOpenAICompatible(model) && { written }),
        ...config,
        metadata: { ...config.metadata, ...metadata },
        signal,
      }
      const acceptable = acceptableMessages(messages, this.entry.name)
      return (await boundModel.invoke(acceptable, callOptions).finally(stop)) as AIMessage
    })
  }

  #withCap(callCap: number | undefined): BaseChatModel {
    if (callCap === undefined && this.#uncapped) return this.#uncapped
    const model = this.entry.create(callCap === undefined ? {} : { maxTokens: callCap })
    if (this.entry.stream === false) model.disableStreaming = true
    const { _streamResponseChunks: stream, _generate: generate } = model
    model._generate = async (...args) => this.#ends.inResult(await generate.apply(model, args))
    // LangChain compares the method with its own to see whether the class can stream.
    if (stream !== BaseChatModel.prototype._streamResponseChunks)
      model._streamResponseChunks = (...args) =>
        gatherArguments(this.#ends.inChunks(stream.apply(model, args)))
    if (callCap === undefined) this.#uncapped = model
    return model
  }
}

/** Ids of the messages that the call reads, and of all replies of its run: another node may have asked for one. */
function idsTakenIn({ messages, run }: ModelCall): ReadonlySet<string> {
  return new Set([...idsIn(messages), ...(run?.replyIds ?? [])])
}

/** Ids of messages and of their calls. */
export function idsIn(messages: readonly BaseMessage[]): string[] {
  const ids: string[] = []
  for (const message of messages) {
    if (message.id !== undefined) ids.push(message.id)
    for (const { id } of (message as AIMessage).tool_calls ?? []) if (id !== undefined) ids.push(id)
  }
  return ids
}

/** @throws {RunFailure} for calls that the model wrote and is to make */
function expectMade({ tool_calls: calls = [] }: AIMessageChunk, written: WrittenCalls): void {
  const [first] = calls.filter(({ id }) => isWrittenId(id))
  if (first && written.asksAgain(calls))
    throw new RunFailure(
      'empty_answer',
      `the model wrote a call of the tool "${first.name}" instead of making it`,
    )
}

/**
 * Without a next model, the run itself asks once more for an answer.
 *
 * @throws {RunFailure} for a reply that is neither an answer nor a call
 */
function expectUsable(
  reply: AIMessageChunk,
  unreadCall: string | undefined,
  { call, hasNext, adaptedTo }: RetryState,
): void {
  const hasAsked = adaptedTo.has('empty_answer')
  const hasRefusal = Array.isArray(reply.content) && reply.content.length > 0
  if (hasRefusal || endOf(reply) === 'cut' || isWithheld(reply)) return
  const noAnswer = (problem: string) => new RunFailure('empty_answer', `the model ${problem}`)
  if (unreadCall) throw noAnswer(`wrote a call of the tool "${unreadCall}" in a form that cannot be read`)
  if (hasAsked && !hasNext) return
  const hasCalls = reply.tool_calls?.length !== 0
  if (!hasAsked && (unreadCall !== undefined || (!hasCalls && promisesCalls(reply))))
    throw noAnswer('announced a tool call and made none')
  if (plainText(reply).trim() !== '') return
  if (!hasCalls) throw noAnswer('gave an empty answer')
  if (hasNext && call.binding.tool_choice === 'none')
    throw new CalledInstead('empty_answer', 'the model called tools in place of an answer')
}

/** Whether the model stalled past the soft deadline, while its caller has something shorter to ask. */
function hasStalledPastSoftDeadline(
  { trouble }: ClassifiedError,
  { run, endsAtSoftDeadline }: ModelCall,
): boolean {
  return trouble === 'stalled' && endsAtSoftDeadline && run?.budget.wrapUp !== undefined
}

/** Whether the call is of no use without the tool: the run's caller named it, or it is the one to call. */
function isNeeded(name: string, { binding, config }: ModelCall): boolean {
  const { tool_choice: choice } = binding
  if (choice === 'none') return false
  const { enabled_tools } = readContext(config, RunContext)
  return enabled_tools?.includes(name) || forces(choice, name)
}

/** Milliseconds until the run's end. */
function timeLeftOf(run: Run | undefined): number {
  return run?.budget.timeLeftMs ?? Number.POSITIVE_INFINITY
}

/** Counts, from now, the milliseconds in which a model may be tried again before it is the next one's turn. */
function windowFor(run: Run | undefined, hasNext: boolean): () => number {
  if (!run || !hasNext) return () => Number.POSITIVE_INFINITY
  const begunWith = timeLeftOf(run)
  return () => run.limits.timeoutMs * RETRY_WINDOW - (begunWith - timeLeftOf(run))
}
