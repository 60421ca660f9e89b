import type { LimitReason } from '../failures/stop-reason.ts'
import type { Spent, Usage } from './budget.ts'
import type { RunEvent } from './events.ts'
import type { Cost } from './price.ts'
import { Times } from './times.ts'

/** Adds up from its events what a run has used, and why it ends. */
export class Meter implements Spent {
  /** Incremented when a call begins, before its event, so that parallel calls cannot exceed the limit together. */
  steps = 0
  inputTokens = 0
  outputTokens = 0
  lastCall = { inputTokens: 0, outputTokens: 0, costUsd: 0 }
  costUsd = 0
  /** Tokens generated in turns that called tools. */
  callTokens = 0
  /** Steps that were not made again, and what their models had used. */
  readonly replayed = { steps: 0, tokens: 0, costUsd: 0 }
  hasAskedPastSoftDeadline = false
  /** The limit because of which a model was last asked for an answer, if any was. */
  wrapUp: LimitReason | undefined
  #hasUnknownCost = false
  #isCostEstimated = false
  #cachedTokens = 0
  /** Name of the model called last. */
  model: string | undefined
  readonly toolsUsed = new Set<string>()
  readonly times = new Times()

  record(event: RunEvent): void {
    this.times.record(event)
    switch (event.type) {
      case 'model_started':
        this.model = event.data.model
        this.hasAskedPastSoftDeadline ||= event.isPastSoftDeadline
        this.wrapUp = event.wrapUp ?? this.wrapUp
        break
      case 'tool_started':
        if (event.data.tool) this.toolsUsed.add(event.data.tool)
        break
      case 'tool_finished':
        if (event.data.replayed) this.replayed.steps += 1
        break
      case 'model_finished':
      case 'model_failed': {
        const { inputTokens, outputTokens, cachedTokens = 0 } = event.tokens
        const { cost_usd, cost_estimated = false } = event.data
        const costUsd = cost_usd ?? 0
        this.inputTokens += inputTokens
        this.outputTokens += outputTokens
        this.#cachedTokens += cachedTokens
        if (event.type === 'model_finished' && event.data.tool_calls.length > 0)
          this.callTokens += outputTokens
        this.costUsd += costUsd
        this.#hasUnknownCost ||= cost_usd === null
        this.#isCostEstimated ||= cost_estimated
        if (event.type === 'model_finished' && event.data.replayed) {
          this.replayed.steps += 1
          this.replayed.tokens += inputTokens + outputTokens
          this.replayed.costUsd += costUsd
        }
        if (inputTokens + outputTokens > 0) this.lastCall = { inputTokens, outputTokens, costUsd }
      }
    }
  }

  get cost(): Cost {
    // Twelve digits leave out what binary fractions add.
    const usd = this.#hasUnknownCost ? undefined : Number(this.costUsd.toPrecision(12))
    return { usd, isEstimate: this.#isCostEstimated, cachedTokens: this.#cachedTokens }
  }

  get usage(): Usage {
    const { inputTokens, outputTokens, steps } = this
    return { inputTokens, outputTokens, steps }
  }
}
