import type { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { getConfig } from '@langchain/langgraph'
import type { RunFailure } from '../failures/run-failure.ts'
import type { JournalStore } from '../journal/call-record.ts'
import { RUN } from '../journal/idempotency-key.ts'
import { Journal } from '../journal/journal.ts'
import { RunCallbacks } from '../langchain-cost/run-callbacks.ts'
import { Budget } from './budget.ts'
import type { RunContext } from './context.ts'
import { countRequest, type ModelInput, maxInputTokens } from './count-tokens.ts'
import { hardDeadlineReached, RunController } from './deadline.ts'
import { limitNearData, type RunEventListener } from './events.ts'
import { type Limits, NEAR } from './limits.ts'
import { Meter } from './meter.ts'
import { modelInputs } from './model-inputs.ts'
import type { Price } from './price.ts'
import { RunCallbackHandler } from './run-callback-handler.ts'
import { TurnOrder } from './turn-order.ts'

/** Tools that the operator exempts from a rule, by name. */
export interface ToolExemptions {
  /** Those with side effects that may run once the run has read the web. */
  readonly toolsAfterWeb: readonly string[]
  /** Those that run for calls that a model wrote into its text, or `*`. */
  readonly writtenCalls: readonly string[]
}

/** What a run starts with. */
export interface RunOptions {
  readonly limits: Limits
  /** When the request arrived, in `performance.now()` milliseconds; the time limits count from here. */
  readonly arrivedAt: number
  /** Ends the run early, for example on a hang-up; its reason must be a `RunFailure`. */
  readonly signal?: AbortSignal | undefined
  /** Receives the run's events. */
  readonly watch?: RunEventListener | undefined
  /** The price of a model of the list; absent: no price is known. */
  readonly priceOf?: ((model: string) => Promise<Price | undefined>) | undefined
  /** Keeps its journal for the task's next run, or a replica that takes it over; absent: there can be none. */
  readonly journalStore?: JournalStore | undefined
  /** The run's settings. */
  readonly context?: RunContext | undefined
  readonly exemptions?: ToolExemptions | undefined
  /** Whether its events have what each model call reads; absent: no. */
  readonly streamModelInput?: boolean | undefined
  /** Asked before each model call: why it must not begin; absent: any may. */
  readonly refusal?: (() => RunFailure | undefined) | undefined
  /** Aborted while others wait for the run's slot, or the service is about to end; absent: they never do. */
  readonly waitSignal?: (() => AbortSignal) | undefined
}

/** Everything a run has apart from the graph's state: its end, budget and record. */
export class Run implements Disposable {
  readonly limits: Limits
  readonly meter = new Meter()
  readonly budget: Budget
  readonly controller: RunController
  readonly callbackHandler: RunCallbackHandler
  readonly journal: Journal
  readonly turnOrder = new TurnOrder()
  readonly context: RunContext | undefined
  readonly exemptions: ToolExemptions | undefined
  /** Ids of the messages that models of the list have replied with, and of their calls. */
  readonly replyIds = new Set<string>()
  /** Models of the list that proved unavailable in this run. */
  readonly modelsGivenUp = new Set<object>()
  /** Aborted while the run should not wait for better times. Get it anew for each wait. */
  readonly waitSignal: () => AbortSignal
  /** Set once a tool has read text that anyone may have written; tools with side effects are refused from then on. */
  hasReadWeb = false
  readonly #arrivedAt: number
  readonly #nearLimits = new Set<keyof Limits>()
  readonly #timers: readonly NodeJS.Timeout[]

  constructor(options: RunOptions) {
    const { limits, arrivedAt, signal, watch, priceOf, journalStore, waitSignal, refusal } = options
    this.limits = limits
    this.context = options.context
    this.exemptions = options.exemptions
    this.waitSignal = waitSignal ?? (() => new AbortController().signal)
    this.journal = new Journal(journalStore, (state, { tool, key, begunAt }) => {
      const data = { state, tool, key, begun_at: new Date(begunAt).toISOString() }
      this.callbackHandler.record({ type: 'effect', data })
    })
    this.#arrivedAt = arrivedAt
    const timeoutError = () => hardDeadlineReached(limits)
    this.controller = new RunController(limits.timeoutMs - this.elapsedMs, timeoutError, signal)
    this.budget = new Budget(
      limits,
      this.meter,
      () => this.elapsedMs,
      () => this.journal.steps.wasPastSoftDeadline,
    )
    this.#timers = (['answerByMs', 'timeoutMs'] as const).map(limit => {
      const moment = limits[limit] * NEAR
      return setTimeout(() => this.#reportNear(limit, moment), Math.max(0, moment - this.elapsedMs)).unref()
    })
    const { meter, budget, controller } = this
    this.callbackHandler = new RunCallbackHandler(
      {
        ...{ meter, budget, controller, refusal, priceOf },
        context: options.context,
        describeInput: options.streamModelInput ? modelInputs() : undefined,
      },
      event => {
        watch?.(event)
        if (event.type === 'model_started') this.journal.effects.modelReads()
        if (event.type === 'tool_finished' && event.unguarded?.hints.openWorldHint) this.hasReadWeb = true
        const { steps, inputTokens, outputTokens, costUsd } = meter
        this.#reportNear('maxSteps', steps)
        this.#reportNear('maxOutputTokens', outputTokens)
        this.#reportNear('maxTotalTokens', inputTokens + outputTokens)
        this.#reportNear('maxCostUsd', costUsd)
      },
    )
  }

  /** Milliseconds since the request arrived. */
  get elapsedMs(): number {
    return performance.now() - this.#arrivedAt
  }

  /** Where its time has gone, in milliseconds. */
  get times() {
    const { begunAt = performance.now(), inModels, inTools, retries } = this.meter.times
    const queued = begunAt - this.#arrivedAt
    return { spentMs: { queued, models: inModels.totalMs, tools: inTools.totalMs }, retries }
  }

  /** Makes a model call. Calls under a cap run one at a time; in parallel, each would be granted all that is left. */
  async inTurn<Reply>(call: () => Promise<Reply>): Promise<Reply> {
    if (!this.budget.isCapped) return await call()
    const release = await this.callbackHandler.enforcer.mutex.acquire()
    try {
      return await call()
    } finally {
      release()
    }
  }

  /**
   * Makes a model call in its turn, with the tokens and the money the budget has left.
   *
   * @param call receives the number of tokens it may generate; `undefined`: no cap
   */
  async underCap<Reply>(
    request: ModelInput,
    model: { price?(): Promise<Price | undefined> },
    call: (callCap: number | undefined) => Promise<Reply>,
  ): Promise<Reply> {
    if (!this.budget.isCapped) return await call(undefined)
    const { maxTotalTokens, maxCostUsd } = this.limits
    return await this.inTurn(async () => {
      const reads = maxTotalTokens === undefined ? 0 : await countRequest(request)
      // If nothing is left, the call is not admitted.
      if (maxCostUsd === undefined) return await call(this.budget.outputCap(reads) || undefined)
      await this.callbackHandler.closeAbandonedCalls()
      const price = await model.price?.()
      const affordable = price ? this.budget.affordable(price, await maxInputTokens(request)) : 0
      if (affordable < 1) this.callbackHandler.enforcer.abortOver('max_cost')
      return await call(this.budget.outputCap(reads, affordable) || undefined)
    })
  }

  /**
   * The config for invoking the graph.
   *
   * @param own what the graph has of its own, by `withConfig`
   * @param handlers additional callback handlers, such as a tracer
   */
  config(
    { recursionLimit = Number.POSITIVE_INFINITY }: { readonly recursionLimit?: number } = {},
    handlers: readonly BaseCallbackHandler[] = [],
  ) {
    return {
      callbacks: RunCallbacks.of([this.callbackHandler, ...handlers]),
      signal: this.controller.signal,
      // LangGraph keeps keys that start with two underscores out of checkpoints and traces.
      configurable: { [RUN]: this as Run },
      // Far above what the steps allow, so only a loop without steps reaches it.
      recursionLimit: Math.min(recursionLimit, 10 * this.limits.maxSteps + 100),
    }
  }

  [Symbol.dispose](): void {
    this.controller[Symbol.dispose]()
    for (const timer of this.#timers) clearTimeout(timer)
  }

  /** Reports each limit once, when four fifths of it are used. */
  #reportNear(limit: keyof Limits, used: number): void {
    const of = this.limits[limit]
    if (of === undefined || used < of * NEAR || this.#nearLimits.has(limit)) return
    this.#nearLimits.add(limit)
    this.callbackHandler.record({ type: 'limit_near', data: limitNearData(limit, used, of) })
  }
}

/**
 * The run in which a node, tool or model is called; `undefined` if the graph is invoked outside the service.
 *
 * @param config the callee's config; if it lacks the run, LangGraph's current config is used
 *
 * @example
 * const timeLeftMs = runOf(config)?.budget.timeLeftMs
 */
export function runOf(config?: { readonly configurable?: Record<string, unknown> }): Run | undefined {
  return (config?.configurable?.[RUN] ?? getConfig()?.configurable?.[RUN]) as Run | undefined
}
