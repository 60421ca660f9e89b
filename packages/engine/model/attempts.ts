import { setTimeout as sleep } from 'node:timers/promises'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import { stampRetryable } from '@langchain/core/errors'
import type { AIMessageChunk } from '@langchain/core/messages'
import { modelTroubles, type Remedy } from '../failures/model-trouble.ts'
import { RunFailure } from '../failures/run-failure.ts'
import { nodeAround } from '../run/node-tracker.ts'
import type { Run } from '../run/run.ts'
import { withoutTools } from './adapted-request.ts'
import { waitBeforeRetry } from './backoff.ts'
import { changesFor, namedTools } from './changes.ts'
import { type AttemptState, CalledInstead, type FailedAttempt, type ListedModel } from './listed-model.ts'
import type { ModelCall } from './model-call.ts'
import { taskTooLong } from './task-too-long.ts'

/** Changed requests that a run may send to a model, beyond the first. */
const MAX_CHANGES = 4
/** Share of the run's time in which a model may be tried again while there is a next one. */
const RETRY_WINDOW = 0.2

/** A normalized reply, and the name of its model. */
export interface Answered {
  readonly reply: AIMessageChunk
  readonly model: string
}

/** A call that stalled past the soft deadline. */
export class SoftDeadlinePassed extends RunFailure {}

/**
 * Asks the models in order until one replies. What follows from a failed attempt is in `modelTroubles`.
 *
 * @returns the normalized reply, empty if the model keeps answering with nothing, and the name of its model
 * @throws {RunFailure} if none replies; the signal's reason if the run has ended
 */
export async function askModels(models: readonly ListedModel[], call: ModelCall): Promise<Answered> {
  const [first, ...others] = inOrder(models, call.run)
  if (!first) throw new RunFailure('internal', 'this agent has no model')
  let state = await stateOf(first, call, others.length > 0)
  try {
    for (;;) {
      await call.run?.journal.assertOurs()
      const outcome = await state.model.attempt(state)
      if ('reply' in outcome) return { reply: outcome.reply, model: state.model.entry.name }
      if (await isRemedied(state, outcome)) continue
      const next = others.shift()
      const half = await giveUp(state, outcome, next)
      if (half) return { reply: half, model: state.model.entry.name }
      state.model.outage.leave(call)
      state = await stateOf(next!, call, others.length > 0)
    }
  } finally {
    state.model.outage.leave(call)
  }
}

async function stateOf(model: ListedModel, call: ModelCall, hasNext: boolean): Promise<AttemptState> {
  return {
    model,
    call,
    hasNext,
    windowLeftMs: windowFor(call.run, hasNext),
    asked: call,
    ...(await model.adapt(call, call)),
    tries: 0,
    outages: 0,
    hasAskedAgain: false,
    half: undefined,
  }
}

/** How each is done. @returns whether there is another attempt to make */
const REMEDIES: Record<Remedy, (state: AttemptState, failed: FailedAttempt) => Promise<boolean>> = {
  ask_again: async (state, { error }) => {
    if (state.hasAskedAgain) return false
    state.hasAskedAgain = true
    const { asked, request } = state
    // A model can call no tool that it is not offered; but some providers refuse results of tools that are not listed.
    const hasResults = request.messages.some(({ type }) => type === 'tool')
    const mayLeaveOut = error.failure instanceof CalledInstead || !hasResults
    if (asked.binding.tool_choice === 'none' && mayLeaveOut) {
      state.asked = withoutTools(asked)
      state.request = withoutTools(request)
    }
    return true
  },
  change: async (state, failed) => {
    const { model, call, asked } = state
    const known = model.knownIn(call)
    if (known.changes >= MAX_CHANGES) return false
    for await (const changes of changesFor({ ...state, ...failed })) {
      const next = await model.adapt(call, asked, changes)
      const isLowered = (next.facts.cap ?? Infinity) < (failed.sentCap ?? 0)
      if (!isLowered && model.digestOf(next) === model.digestOf(state)) continue
      known.changes += 1
      model.learn(call, changes)
      Object.assign(state, next)
      return true
    }
    return false
  },
  retry: async (state, { error }) => {
    const { model, call, hasNext } = state
    const { run, signal } = call
    if (error.isShortOutage && run && !hasNext) {
      const waitSignal = run.waitSignal()
      const wait = { leftMs: run.budget.answerLeftMs, retryAfterMs: error.retryAfterMs, waitSignal, signal }
      const end = await model.outage.wait(call, wait)
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
  },
}

function isOfSameRequest(remedy: Remedy): boolean {
  return remedy !== 'change'
}

async function isRemedied(state: AttemptState, failed: FailedAttempt): Promise<boolean> {
  if (hasStalledPastSoftDeadline(state, failed)) return false
  const { remedies } = modelTroubles[failed.error.trouble]
  for (const remedy of remedies) {
    if (isOfSameRequest(remedy) && !state.call.mayRetry) continue
    if (await REMEDIES[remedy](state, failed)) return true
  }
  return false
}

/**
 * Goes on to the next model.
 *
 * @returns half of a reply, if no other model can give all of it
 * @throws {RunFailure} if there is none, none may be asked, or the call stalled past the soft deadline
 */
async function giveUp(
  state: AttemptState,
  failed: FailedAttempt,
  next: ListedModel | undefined,
): Promise<AIMessageChunk | undefined> {
  const { model, call, half } = state
  const { trouble, isOutage } = failed.error
  const isPastSoftDeadline = hasStalledPastSoftDeadline(state, failed)
  if (isOutage) model.breaker.recordFailure()
  if (half && !next && !isPastSoftDeadline) return half
  const failure = await failureOf(state, failed)
  call.run?.callbackHandler.standIns.modelFailed(nodeAround(call.config.metadata ?? {}), failure)
  // Who asked us not to retry does so.
  const mayBeRepeated = modelTroubles[trouble].remedies.some(isOfSameRequest)
  if (!call.mayRetry && mayBeRepeated) stampRetryable(failure, true)
  if (!modelTroubles[trouble].mayFallBack) throw failure
  const data = { model: model.entry.name, reason: trouble, next: next?.entry.name ?? null }
  if (next || !isPastSoftDeadline)
    call.run?.callbackHandler.record({ type: 'model_given_up', data, error: failure.cause })
  if (next) call.run?.modelsGivenUp.add(model)
  if (isPastSoftDeadline) throw new SoftDeadlinePassed(failure.reason, failure.message)
  if (!next) throw failure
  return undefined
}

async function failureOf(state: AttemptState, failed: FailedAttempt): Promise<RunFailure> {
  const { call, model, request, facts } = state
  const { error } = failed
  const needed = namedTools({ ...state, ...failed }).filter(tool => model.needs(tool, call))
  if (needed.length === 0) return await taskTooLong(failed, request, facts)
  const names = needed.map(tool => JSON.stringify(nameOf(tool))).join(', ')
  const which = needed.length > 1 ? 'the tools' : 'the tool'
  const message = `the model provider refuses ${which} ${names}, which this run needs`
  return new RunFailure('model_rejected', message, { cause: error.failure.cause })
}

/** Whether the model stalled past the soft deadline, while its caller has something shorter to ask. */
function hasStalledPastSoftDeadline(
  { call: { run, endsAtSoftDeadline } }: AttemptState,
  { error }: FailedAttempt,
): boolean {
  return error.trouble === 'stalled' && endsAtSoftDeadline && run?.budget.wrapUp !== undefined
}

/** The models this run has not given up, those with an open breaker last. */
function inOrder(all: readonly ListedModel[], run: Run | undefined): readonly ListedModel[] {
  const models = all.filter(model => !run?.modelsGivenUp.has(model))
  const ready = models.filter(({ breaker }) => breaker.admits())
  const [first, next] = [models[0], ready[0]]
  if (first && next && first !== next)
    run?.callbackHandler.record({
      type: 'model_given_up',
      data: { model: first.entry.name, reason: 'breaker_open', next: next.entry.name },
    })
  return [...new Set([...ready, ...models])]
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
