import { AsyncLocalStorage } from 'node:async_hooks'
import { RunFailure } from '../failures/run-failure.ts'
import type { LimitReason } from '../failures/stop-reason.ts'
import type { KeyedCall } from '../journal/idempotency-key.ts'
import type { Budget } from './budget.ts'
import { countRequest, type ModelInput } from './count-tokens.ts'
import type { RunController } from './deadline.ts'
import { describeLimit } from './limits.ts'
import type { Meter } from './meter.ts'

/** The tool call around what is done. */
export const surroundingCall = new AsyncLocalStorage<KeyedCall>()

/** The parts of a run that limit its calls. */
export interface EnforcedRun {
  readonly budget: Budget
  readonly meter: Meter
  readonly controller: RunController
  /** Asked before each model call that is made anew: why it must not begin; absent: any may. */
  readonly refusal?: (() => RunFailure | undefined) | undefined
}

interface NextModelCall {
  readonly model: string
  /** Number of a listed model's call, the same for all its tries; `undefined`: a node's own model. */
  readonly call: number | undefined
  /** Whether another model call makes it. */
  readonly isInner: boolean
  /** Whether it was made before the run was taken over. */
  readonly isReplayed: boolean
  readonly request: ModelInput
}

/** Lets calls proceed one at a time, in order of arrival. */
class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Waits for the calls before this one. Returns a function that lets the next one begin. */
  async acquire(): Promise<() => void> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    return resolve
  }
}

/** Gives each call of a run its step. A call that would exceed the budget ends the run in its place. */
export class BudgetEnforcer {
  /** Lets calls under a cap begin. */
  readonly mutex = new Mutex()
  readonly #run: EnforcedRun
  readonly #stepOfCall = new Map<number, number>()

  constructor(run: EnforcedRun) {
    this.#run = run
  }

  /**
   * @returns its step and, for a node's own model, what lets the next call under a token cap begin; `undefined` if the call must not
   * begin: the run has ended, or ends now
   */
  async admitModelCall({ model, call, isInner, isReplayed, request }: NextModelCall) {
    const { budget, controller } = this.#run
    const refused = isReplayed ? undefined : this.#run.refusal?.()
    if (refused) {
      controller.abort(refused)
      return undefined
    }
    const isOwn = call === undefined
    // Calls of the listed models have taken their turn already, and a call within a call shares the outer one's.
    const release = isOwn && !isInner && budget.isCapped ? await this.mutex.acquire() : undefined
    const { maxTotalTokens, maxCostUsd } = budget.limits
    // Only the cap on total tokens needs the input counted in advance.
    const inputTokens = maxTotalTokens === undefined ? 0 : await countRequest(request)
    const refusal = budget.tokenRefusal(inputTokens)
    if (refusal) {
      this.abortOver(refusal)
      return undefined
    }
    if (isOwn && maxCostUsd !== undefined) {
      const message = `the model ${model} is not in the list of models, so its price is unknown, and the cost of a run is limited`
      controller.abort(new RunFailure('max_cost', message))
      return undefined
    }
    const ofEarlierTry = isOwn ? undefined : this.#stepOfCall.get(call)
    const step = ofEarlierTry ?? this.takeStep()
    if (step === undefined) return undefined
    if (!isOwn) this.#stepOfCall.set(call, step)
    return { step, release }
  }

  /** The next step's number; `undefined` if the run has ended, or ends now because no step is left. */
  takeStep(): number | undefined {
    const { budget, controller, meter } = this.#run
    const call = surroundingCall.getStore()
    if (call) call.hasSteps = true
    if (controller.signal.aborted) return undefined
    if (budget.stepsLeft > 0) return ++meter.steps
    this.abortOver('max_steps')
    return undefined
  }

  /** Ends the run, since the next call would exceed a limit. */
  abortOver(reason: LimitReason): void {
    const limit = describeLimit(reason, this.#run.budget.limits)
    this.#run.controller.abort(new RunFailure(reason, `${limit} was used up before there was an answer`))
  }
}
