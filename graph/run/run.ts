import type { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { BaseMessage } from '@langchain/core/messages'
import { getConfig } from '@langchain/langgraph'
import { Budget, describeLimit, type Limits } from './budget.ts'
import { EndOfRun } from './deadline-and-hang-up.ts'
import type { Watch } from './events.ts'
import { RunFailure, type StopReason } from './failure.ts'
import { Meter } from './meter.ts'
import { NearLimits } from './near-limits.ts'
import { Recorder } from './recorder.ts'
import { countMessages } from './tokens.ts'

/** What a run begins with. */
export interface RunOptions {
  readonly limits: Limits
  /** When its request arrived, in `performance.now()` milliseconds: what the time limits count from. */
  readonly arrivedAt: number
  /** Ends the run from outside; its reason, a `RunFailure`, says why. Optional. */
  readonly caller?: AbortSignal | undefined
  readonly watch?: Watch | undefined
  readonly effectsBegan?: (() => Promise<void>) | undefined
}

/** What one run of the graph has beside its state: its end, its budget, its record. */
export class Run implements Disposable {
  readonly limits: Limits
  readonly meter = new Meter()
  readonly budget: Budget
  readonly end: EndOfRun
  readonly recorder: Recorder
  /** To be awaited before a tool begins whose effects reach outside. Rejects where it must not begin; absent: it always may. */
  readonly effectsBegan: (() => Promise<void>) | undefined
  /** Those of the list of models that proved unavailable in this run. */
  readonly modelsGivenUp = new Set<object>()
  /** A tool has brought in what anyone may have written: from then on, tools with effects outside are refused. */
  hasReadWeb = false
  /** Why the last message is the last word, as far as the nodes know. */
  stop: StopReason = 'answer'
  /** The last word was cut off at a cap on its tokens. */
  cut = false
  #lastCapped: Promise<void> = Promise.resolve()
  readonly #arrivedAt: number
  readonly #nearLimits: NearLimits

  constructor({ limits, arrivedAt, caller, watch, effectsBegan }: RunOptions) {
    this.limits = limits
    this.effectsBegan = effectsBegan
    this.#arrivedAt = arrivedAt
    const overtime = () => new RunFailure('deadline', `${describeLimit('deadline', limits)} was reached`)
    this.end = new EndOfRun(limits.timeoutMs - this.elapsedMs, overtime, caller)
    this.budget = new Budget(limits, this.meter, () => this.elapsedMs)
    this.#nearLimits = new NearLimits(limits, this.meter, this.elapsedMs, (limit, used, of) =>
      this.recorder.record({ type: 'limit_near', limit, used, of }),
    )
    this.recorder = new Recorder(this.meter, this.budget, this.end, event => {
      watch?.(event)
      this.#nearLimits.look()
    })
  }

  /** Milliseconds since the request arrived. */
  get elapsedMs(): number {
    return performance.now() - this.#arrivedAt
  }

  /**
   * Makes a model call with what the budget leaves for it. Calls under a cap on tokens go one at a time: side by side,
   * each would get what is left for all.
   *
   * @param call gets the tokens that it may generate; `undefined`: no cap
   */
  async underCap<Reply>(
    messages: readonly BaseMessage[],
    call: (maxTokens: number | undefined) => Promise<Reply>,
  ): Promise<Reply> {
    const { maxOutputTokens, maxTotalTokens } = this.limits
    if (maxOutputTokens === undefined && maxTotalTokens === undefined) return await call(undefined)
    const before = this.#lastCapped
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#lastCapped = promise
    try {
      await before
      const reads = maxTotalTokens === undefined ? 0 : await countMessages(messages)
      // Where nothing is left, the recorder refuses the call.
      return await call(this.budget.outputCap(reads) || undefined)
    } finally {
      resolve()
    }
  }

  /**
   * What the graph is invoked with.
   *
   * @param handlers more callback handlers, such as a tracer
   */
  config(handlers: readonly BaseCallbackHandler[] = []) {
    return {
      callbacks: [this.recorder, ...handlers],
      signal: this.end.signal,
      // LangGraph keeps what begins with two underscores out of checkpoints and traces.
      configurable: { __run: this },
      // Far from what the steps allow: only a loop without steps runs into it.
      recursionLimit: 10 * this.limits.maxSteps + 100,
    }
  }

  [Symbol.dispose](): void {
    this.end[Symbol.dispose]()
    this.#nearLimits[Symbol.dispose]()
  }
}

/**
 * The run that a node, a tool or a model is called in; `undefined` where the graph is invoked outside the service.
 *
 * @param config what the callee was given; a config of the caller's own making may lack the run, so LangGraph's is asked
 */
export function runOf(config?: { readonly configurable?: Record<string, unknown> }): Run | undefined {
  return (config?.configurable?.__run ?? getConfig()?.configurable?.__run) as Run | undefined
}
