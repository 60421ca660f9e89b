/** Limits that make a run wrap up: no more tools are offered, and the model is asked for its answer. */
export const limitReasons = [
  'soft_deadline',
  'max_steps',
  'max_tokens',
  'max_total_tokens',
  'max_cost',
  'repeated_calls',
] as const

export type LimitReason = (typeof limitReasons)[number]

/** Why a run ended. In the log line of every run, never in its reply. */
export type StopReason =
  | LimitReason
  | 'answer'
  | 'max_day_cost'
  | 'deadline'
  | 'shutdown'
  | 'hang_up'
  | 'taken_over'
  | 'effect_unknown'
  | 'offline_model'
  | 'tool_failed'
  | 'unguarded_tool'
  | 'model_unavailable'
  | 'model_rejected'
  | 'refusal'
  | 'content_filter'
  | 'empty_answer'
  | 'refused'
  | 'invalid_context'
  | 'not_over_http'
  | 'internal'
