import type { LimitReason } from '../failures/stop-reason.ts'
import { capOf, type Limits } from './limits.ts'
import { type Price, tokensFor } from './price.ts'

/** Usage of one run. Tokens are the provider's figures, else counted in o200k_base. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Model calls plus tool calls; retries of a model call belong to the same step. */
  readonly steps: number
}

/** What a run has used so far. */
export interface Spent extends Usage {
  /** Tokens of the latest model call; the next one reads at least as many. */
  readonly lastCall: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd: number }
  /** US dollars of the calls whose price is known. */
  readonly costUsd: number
  /** Whether a model call has begun past the soft deadline. */
  readonly hasAskedPastSoftDeadline: boolean
}

/** Plan, tool, answer: tools are offered only if all three still fit. */
const STEPS_OF_A_ROUND = 3
/** Share of the run's time that is kept for the answer, in a run without a soft deadline. */
const ANSWER_RESERVE = 0.2

/** One run's time, steps and tokens: compares the limits with what has been spent so far. */
export class Budget {
  readonly limits: Limits
  readonly #spent: Spent
  readonly #elapsedMs: () => number
  readonly #wasPastSoftDeadline: () => boolean | undefined

  /** @param wasPastSoftDeadline whether the next model call began past the soft deadline before; `undefined`: it is a new one */
  constructor(
    limits: Limits,
    spent: Spent,
    elapsedMs: () => number,
    wasPastSoftDeadline: () => boolean | undefined,
  ) {
    this.limits = limits
    this.#spent = spent
    this.#elapsedMs = elapsedMs
    this.#wasPastSoftDeadline = wasPastSoftDeadline
  }

  /** Milliseconds to the hard deadline, 0 or more. */
  get timeLeftMs(): number {
    return Math.max(0, this.limits.timeoutMs - this.#elapsedMs())
  }

  /** Milliseconds to the soft deadline; if that is no sooner than the hard one, to when an answer must begin. */
  get answerLeftMs(): number {
    const { answerByMs, timeoutMs } = this.limits
    return (answerByMs < timeoutMs ? answerByMs : timeoutMs * (1 - ANSWER_RESERVE)) - this.#elapsedMs()
  }

  /** Tool calls that may still run while leaving a step for the model call after them. */
  get toolCallsLeft(): number {
    return Math.max(0, this.stepsLeft - 1)
  }

  /** Whether there is a cap on tokens or money. */
  get isCapped(): boolean {
    return capOf(this.limits) !== undefined
  }

  /**
   * Tokens that a model call reading `inputTokens` may generate; `undefined`: no cap.
   *
   * @param affordable tokens that the money left pays for
   */
  outputCap(inputTokens: number, affordable = Number.POSITIVE_INFINITY): number | undefined {
    const cap = Math.min(this.#outputLeft, this.#totalLeft - inputTokens, affordable)
    return Number.isFinite(cap) ? Math.max(0, cap) : undefined
  }

  /** Tokens that a model call reading at most `inputTokens` may generate with the money left; below 1: it may not start. */
  affordable(price: Price, inputTokens: number): number {
    return tokensFor(this.#moneyLeft, price, inputTokens)
  }

  /** Why no more tools may be offered, or `undefined` while another round fits. */
  get wrapUp(): LimitReason | undefined {
    return this.isPastSoftDeadline ? 'soft_deadline' : this.#wrapUpCap
  }

  get isPastSoftDeadline(): boolean {
    return this.#wasPastSoftDeadline() ?? this.#elapsedMs() >= this.limits.answerByMs
  }

  /** Whether past the soft deadline another round fits the caps, and as much time is left as has passed. */
  get hasLastRound(): boolean {
    return !this.isLastRound && this.#wrapUpCap === undefined && this.timeLeftMs >= this.#elapsedMs()
  }

  /** Whether a model was called past the soft deadline: from then on only tools with `instantHint` run. */
  get isLastRound(): boolean {
    return this.#spent.hasAskedPastSoftDeadline
  }

  get #wrapUpCap(): LimitReason | undefined {
    if (this.stepsLeft < STEPS_OF_A_ROUND) return 'max_steps'
    // Another turn as long as the last one must leave the same amount again for the answer.
    if (this.#outputLeft < 2 * this.#spent.lastCall.outputTokens) return 'max_tokens'
    const { inputTokens, outputTokens, costUsd } = this.#spent.lastCall
    if (this.#totalLeft < 2 * (inputTokens + outputTokens)) return 'max_total_tokens'
    if (this.#moneyLeft < 2 * costUsd) return 'max_cost'
    return undefined
  }

  get stepsLeft(): number {
    return this.limits.maxSteps - this.#spent.steps
  }

  /** Why a model call reading `inputTokens` is not allowed, or `undefined` if it is. */
  tokenRefusal(inputTokens: number): LimitReason | undefined {
    if (this.#outputLeft < 1) return 'max_tokens'
    if (this.#totalLeft - inputTokens < 1) return 'max_total_tokens'
    return undefined
  }

  get #outputLeft(): number {
    return (this.limits.maxOutputTokens ?? Number.POSITIVE_INFINITY) - this.#spent.outputTokens
  }

  get #moneyLeft(): number {
    return (this.limits.maxCostUsd ?? Number.POSITIVE_INFINITY) - this.#spent.costUsd
  }

  get #totalLeft(): number {
    const used = this.#spent.inputTokens + this.#spent.outputTokens
    return (this.limits.maxTotalTokens ?? Number.POSITIVE_INFINITY) - used
  }
}
