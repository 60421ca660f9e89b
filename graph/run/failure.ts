import type { LimitReason } from './budget.ts'

/** Why a run ended. In the log line of every run, never in its reply. */
export type StopReason =
  | LimitReason
  | 'answer'
  | 'deadline'
  | 'shutdown'
  | 'hang_up'
  | 'taken_over'
  | 'offline_model'
  | 'tool_failed'
  | 'model_unavailable'
  | 'model_rejected'
  | 'refusal'
  | 'content_filter'
  | 'empty_answer'
  | 'refused'
  | 'invalid_context'
  | 'not_over_http'
  | 'internal'

/**
 * A run that cannot be answered. `message` goes to the caller verbatim, so it must hold no secret and no external text except
 * a model's refusal, a tool's error, or the part of the task that the offline model does not understand.
 *
 * @example
 * throw new RunFailure('refused', 'this agent only answers questions about orders')
 */
export class RunFailure extends Error {
  override readonly name = 'RunFailure'
  readonly reason: StopReason

  constructor(reason: StopReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
