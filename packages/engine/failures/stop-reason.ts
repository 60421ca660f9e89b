import type { LimitReason } from '../limits.ts'

/** Why a run ended. In the log line of every run, never in its reply. */
export type StopReason =
  | LimitReason
  | 'answer'
  | 'deadline'
  | 'shutdown'
  | 'hang_up'
  | 'taken_over'
  | 'effect_unknown'
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
