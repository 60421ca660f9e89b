/** Why a run ended: in the log line of every run, never in its reply. */
export type StopReason =
  | 'answer'
  | 'soft_deadline'
  | 'max_steps'
  | 'max_tokens'
  | 'max_total_tokens'
  | 'repeated_calls'
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
  | 'invalid_settings'
  | 'not_over_http'
  | 'internal'

/**
 * A run that cannot be answered. `message` goes to the caller word for word: it holds no secret, and of others' text at
 * most a model's refusal, what a tool says of its failure, or the part of the task that the offline model does not
 * understand.
 */
export class RunFailure extends Error {
  override readonly name = 'RunFailure'
  readonly reason: StopReason

  constructor(reason: StopReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
