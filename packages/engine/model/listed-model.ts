import { acceptableMessages } from '@agent-task-service/messages/acceptable-messages'
import { Asked } from '@agent-task-service/messages/asked'
import { endOf, finishReasonOf, isWithheld, promisesCalls } from '@agent-task-service/messages/finish-reason'
import { plainText } from '@agent-task-service/messages/message-text'
import { normalizeReply } from '@agent-task-service/messages/normalize-reply'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import { isWrittenId } from '@agent-task-service/messages/written-call'
import type { EndpointQuirks, RequestForm } from '@agent-task-service/openai-compatible'
import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { AIMessage, AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import { type ClassifiedError, classifyModelError } from '../failures/classify-error.ts'
import { echoesOf, type IsEchoed } from '../failures/echoes.ts'
import { RunFailure } from '../failures/run-failure.ts'
import { gatherArguments } from '../langchain-cost/gathered-arguments.ts'
import { withTools } from '../langchain-cost/with-tools.ts'
import { RunContext, readContext } from '../run/context.ts'
import { fairShare } from '../run/fair-share.ts'
import { ownRetries } from '../run/own-retries.ts'
import type { CallMetadata } from '../run/run-callback-handler.ts'
import { adaptedRequest } from './adapted-request.ts'
import { MAX_ATTEMPTS } from './backoff.ts'
import { Breaker } from './breaker.ts'
import { type Change, type Facts, FactsFromRefusals } from './facts-from-refusals.ts'
import { forces, type ModelCall, type ModelCallRequest } from './model-call.ts'
import type { ModelEntry } from './model-entry.ts'
import { withPatience } from './patience.ts'
import { ReplyEnds } from './reply-ends.ts'
import { requestDigest } from './request-digest.ts'
import { ShortOutage } from './short-outage.ts'
import { isOpenAICompatible, readsCalls, WrittenCalls } from './written-calls.ts'

/** Default patience, as a share of the run's time: leaves time for another try and for the next model. */
const PATIENCE = 0.15
/** Healthy models may take this long for their first word. */
const LEAST_PATIENCE_MS = 1_000
/** Share of the run's time that is kept for an answer from a model that only reasons. */
const ANSWER_RESERVE = 0.2

/** What has been tried of a call with one model. */
export interface AttemptState extends Adapted {
  readonly model: ListedModel
  readonly call: ModelCall
  /** Whether there is another model to fall back to. */
  readonly hasNext: boolean
  /** Milliseconds in which it may be tried again before it is the next model's turn. */
  readonly windowLeftMs: () => number
  /** What is asked, before it is adapted to the model. */
  asked: ModelCallRequest
  tries: number
  /** Of them, those that a short outage refused before the call waited for its end. */
  outages: number
  hasAskedAgain: boolean
  /** The latest reply that ended in an unknown way. */
  half: AIMessageChunk | undefined
}

/** What a model is sent, and why. */
interface Adapted {
  request: ModelCallRequest
  facts: Facts
}

export interface FailedAttempt {
  readonly error: ClassifiedError
  readonly sentCap: number | undefined
  /** Tells words that the error may have from the request. */
  readonly isEchoed: IsEchoed
}

/** What one run has found out about a model. */
interface KnownInRun {
  /** How often a request was changed. */
  changes: number
  /** The tools with which it has answered; absent: it has not. */
  acceptedTools?: readonly BindToolsInput[]
}

/** A model called tools when it was told not to. */
export class CalledInstead extends RunFailure {}

/** One model of the list: what is known of it, and how it is asked once. */
export class ListedModel {
  readonly entry: ModelEntry
  readonly breaker = new Breaker()
  readonly outage = new ShortOutage()
  readonly #facts = new FactsFromRefusals()
  readonly #runs = new WeakMap<object, KnownInRun>()
  /** Tools with side effects that run even if their call was written. */
  readonly #writtenCalls: readonly string[]
  readonly #ends = new ReplyEnds()
  #uncapped: BaseChatModel | undefined
  /** Whether it has made a call: then it does not write any. Never forgotten. */
  #hasMadeCall = false
  /** The APIs in which it has answered. */
  readonly #answeredIn = new Set<string | undefined>()

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

  /** What is asked as this model takes it, given what is known of it, and what its latest refusal teaches. */
  async adapt(call: ModelCall, asked: ModelCallRequest, changes: readonly Change[] = []): Promise<Adapted> {
    const { maxInputTokens: context } = this.uncapped.profile
    const ofModel: Facts = context ? { context } : {}
    const known = [ofModel, this.#facts.factsFor(keyOf(call)), ...changes.map(({ facts }) => facts)]
    const facts: Facts = Object.assign({}, ...known)
    return { facts, request: await adaptedRequest(asked, facts, tool => this.needs(tool, call)) }
  }

  /** Keeps what a refusal teaches: for the run, and once a call made with it has succeeded, for others. */
  learn(call: ModelCall, changes: readonly Change[]): void {
    for (const { facts, isGeneral } of changes) this.#facts.record(keyOf(call), facts, isGeneral)
  }

  knownIn(call: ModelCall): KnownInRun {
    const known = this.#runs.get(keyOf(call)) ?? { changes: 0 }
    this.#runs.set(keyOf(call), known)
    return known
  }

  /** Settings that its requests have, such as `temperature`. */
  get members(): readonly string[] {
    const { uncapped } = this
    const own = isOpenAICompatible(uncapped) ? uncapped.params : {}
    const settings: Readonly<Record<string, unknown>> = { ...uncapped.invocationParams({}), ...own }
    return Object.keys(settings).filter(name => settings[name] != null)
  }

  /** How it is asked, if it is asked in OpenAI's APIs. */
  formOf(facts: Facts): RequestForm | undefined {
    return isOpenAICompatible(this.uncapped) ? this.uncapped.formOf(facts) : undefined
  }

  /** Whether it has answered before, in the same API and any run. */
  hasAnsweredTo(facts: Facts): boolean {
    return this.#answeredIn.has(this.formOf(facts)?.api)
  }

  /** Whether the call is of no use without the tool: the run's caller named it, or it is the one to call. */
  needs(tool: BindToolsInput, { binding, config }: ModelCall): boolean {
    const { tool_choice: choice } = binding
    if (choice === 'none') return false
    const { enabled_tools } = readContext(config, RunContext)
    return enabled_tools?.includes(nameOf(tool)) || forces(choice, nameOf(tool))
  }

  /** Two requests with the same digest are the same to its server, but for a cap. */
  digestOf({ request, facts }: Adapted): string {
    return requestDigest(request, [], isOpenAICompatible(this.uncapped) ? quirksOf(facts) : {})
  }

  /**
   * Sends the request once, within the run's caps.
   *
   * @returns the normalized reply; or why there is none, and the cap that was sent
   * @throws the signal's reason if the run has ended
   */
  async attempt(state: AttemptState): Promise<{ readonly reply: AIMessageChunk } | FailedAttempt> {
    const { call, request, facts } = state
    const { run, signal } = call
    const asked = new Asked(request.messages)
    const written = this.#writtenCallsOf(state, asked)
    state.tries += 1
    call.attempts += 1
    let sentCap: number | undefined
    const send = (left: number | undefined) => {
      sentCap = left === undefined ? undefined : Math.min(left, facts.cap ?? left)
      return this.#send(state, sentCap, written)
    }
    try {
      const sent = run ? await run.underCap(request, this.entry, send) : await send(undefined)
      const { message: reply, unreadCall } = normalizeReply(sent, {
        model: this.entry.name,
        tools: request.tools,
        // Another node may have asked for a reply of the run.
        takenIds: new Set([...idsIn(call.messages), ...(run?.replyIds ?? [])]),
        written,
        asked,
      })
      for (const id of idsIn([reply])) run?.replyIds.add(id)
      this.#hasMadeCall ||= (reply.tool_calls ?? []).some(({ id }) => !isWrittenId(id))
      this.#accepted(state)
      expectMade(reply, written)
      this.#expectKnownEnd(reply, state)
      expectUsable(reply, unreadCall, state)
      return { reply }
    } catch (thrown) {
      signal.throwIfAborted()
      const isEchoed = echoesOf(request.messages)
      return { error: classifyModelError(thrown, run?.limits.timeoutMs, isEchoed), sentCap, isEchoed }
    }
  }

  /** Its server took the request. */
  #accepted({ call, facts }: AttemptState): void {
    this.#serves(call)
    this.#answeredIn.add(this.formOf(facts)?.api)
    this.knownIn(call).acceptedTools = call.tools
    const learnt = this.#facts.confirm(keyOf(call), facts)
    const data = { model: this.entry.name, facts: { ...learnt } }
    if (Object.keys(learnt).length > 0) call.run?.callbackHandler.record({ type: 'model_learnt', data })
  }

  #writtenCallsOf({ request, hasAskedAgain, call }: AttemptState, asked: Asked): WrittenCalls {
    return new WrittenCalls({
      // As they were bound, not as this model takes them.
      request: { ...request, tools: call.tools },
      asked,
      makesCalls: this.#hasMadeCall || readsCalls(this.uncapped),
      hasAsked: hasAskedAgain,
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
  #expectKnownEnd(reply: AIMessageChunk, state: AttemptState): void {
    const { half, hasAskedAgain } = state
    const isEmpty = plainText(reply).trim() === '' && !reply.tool_calls?.length
    if (isEmpty || endOf(reply) !== 'unknown') return
    state.half = reply
    if (!hasAskedAgain) throw new RunFailure('empty_answer', 'the model broke off its reply')
    const reason = finishReasonOf(reply)
    if (reason !== undefined && half && finishReasonOf(half) === reason) this.#ends.learn(reason)
  }

  /** Milliseconds without progress after which a try is given up; `undefined` if there is nothing else left to try. */
  #patienceMs({ call, hasNext, tries, windowLeftMs }: AttemptState): number | undefined {
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
    this.outage.serves(call)
  }

  async #send(state: AttemptState, callCap: number | undefined, written: WrittenCalls): Promise<AIMessage> {
    const { call, facts, request } = state
    const { messages, tools, binding } = request
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
      silentMs: this.#patienceMs(state),
      reasoningMs: run && run.budget.timeLeftMs - run.limits.timeoutMs * ANSWER_RESERVE,
    }
    return await withPatience(patience, end, async (signal, advance) => {
      const stop = run?.callbackHandler.onProgress(number, progress => {
        this.#serves(call)
        advance(progress)
      })
      const callOptions = {
        ...options,
        ...(isOpenAICompatible(model) && { written, quirks: quirksOf(facts) }),
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
  { call, hasNext, hasAskedAgain: hasAsked }: AttemptState,
): void {
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

/** What its run's facts are kept under. */
function keyOf(call: ModelCall): object {
  return call.run ?? call
}

/** Facts about what is asked. */
const OF_REQUEST = /^(cap|context|conversation|refuses_(thoughts|system|tools|tool_choice)|tool .*)$/

/** Facts about how a server is asked. */
function quirksOf(facts: Facts): EndpointQuirks {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => !OF_REQUEST.test(name)))
}
