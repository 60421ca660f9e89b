/** What limits a run, and what each limit is called: when a run ends at it, in the event stream, and to a caller. */

import type { StreamEventData } from '@agent-task-service/wire/contract'
import type { LimitReason } from '../failures/stop-reason.ts'

/** What one run may use. Times are in milliseconds since the request arrived. */
export interface Limits {
  /** Hard deadline of the run. */
  readonly timeoutMs: number
  /** After this the model is asked to answer with what it has. */
  readonly answerByMs: number
  /** Model calls plus tool calls. */
  readonly maxSteps: number
  /** Tokens generated over all model calls; absent: no cap. */
  readonly maxOutputTokens?: number | undefined
  /** Tokens read and generated over all model calls; absent: no cap. */
  readonly maxTotalTokens?: number | undefined
  /** US dollars for all model calls; absent: no limit. */
  readonly maxCostUsd?: number | undefined
}

export type LimitName = keyof Limits

/** Share of a limit at which it counts as near. */
export const NEAR = 0.8

/** In the order in which the stream tells them. */
export const runLimits: Readonly<
  Record<
    LimitName,
    {
      /** Why a run ends or wraps up. */
      readonly reason: LimitReason | 'deadline'
      readonly inStream: StreamEventData<'limit_near'>['limit']
      /** How much of it is one in the stream, and in its words: a second has 1,000 ms. Absent: 1. */
      readonly unit?: number
      readonly words: (amount: number) => string
    }
  >
> = {
  answerByMs: {
    reason: 'soft_deadline',
    inStream: 'answer_by_sec',
    unit: 1000,
    words: seconds => `the ${seconds} s allowed for an answer`,
  },
  timeoutMs: {
    reason: 'deadline',
    inStream: 'timeout_sec',
    unit: 1000,
    words: seconds => `the time limit of ${seconds} s`,
  },
  maxSteps: {
    reason: 'max_steps',
    inStream: 'max_steps',
    words: steps => `the limit of ${steps} ${steps === 1 ? 'step' : 'steps'}`,
  },
  maxOutputTokens: {
    reason: 'max_tokens',
    inStream: 'max_output_tokens',
    words: tokens => `the cap of ${tokens} generated tokens (max_tokens)`,
  },
  maxTotalTokens: {
    reason: 'max_total_tokens',
    inStream: 'max_total_tokens',
    words: tokens => `the agent's cap of ${tokens} tokens read and generated`,
  },
  maxCostUsd: {
    reason: 'max_cost',
    inStream: 'max_cost_usd',
    words: dollars => `the agent's limit of $${dollars} for a run`,
  },
}

export const limitNames = Object.keys(runLimits) as LimitName[]

/** Those that may be absent: a run is capped if one is set. */
const CAPS = ['maxOutputTokens', 'maxTotalTokens', 'maxCostUsd'] as const

/** The agent's limits, with the request's cap on generated tokens if it has one. */
export function limitsFor(
  limits: Limits,
  { max_tokens }: { readonly max_tokens?: number | undefined },
): Limits {
  return { ...limits, maxOutputTokens: max_tokens ?? limits.maxOutputTokens }
}

/** The first cap on tokens or money that is set. */
export function capOf(limits: Partial<Limits>): LimitName | undefined {
  return CAPS.find(cap => limits[cap] !== undefined)
}

/** Names the limit behind a call's cap, for the caller. */
export function describeCap(limits: Partial<Limits>): string {
  const cap = capOf(limits)
  return cap === undefined ? "the model's own limit" : describe(cap, limits)
}

/** Names a limit, for the caller. */
export function describeLimit(reason: LimitReason | 'deadline', limits: Partial<Limits>): string {
  const limit = limitNames.find(name => runLimits[name].reason === reason)
  return limit === undefined ? 'the limit of three turns with the same tool calls' : describe(limit, limits)
}

function describe(limit: LimitName, limits: Partial<Limits>): string {
  const { unit = 1, words } = runLimits[limit]
  return words((limits[limit] ?? 0) / unit)
}
