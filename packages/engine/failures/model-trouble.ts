import type { StopReason } from './stop-reason.ts'

/** What may be done about a failed attempt, at the same model. */
export type Remedy =
  /** Send the same request again, later. */
  | 'retry'
  /** Ask once more. */
  | 'ask_again'
  /** Send it without what the refusal names, or else without what the server can do without. */
  | 'change'

/** What follows from a failed attempt. */
interface Consequences {
  /** In order: the first that can be done is. */
  readonly remedies: readonly Remedy[]
  /** Whether another model may do better, if nothing can be done at this one. */
  readonly mayFallBack: boolean
  /** Whether the model can serve no request until an operator acts. */
  readonly needsOperator: boolean
  /** Why the run ends if no model answers. */
  readonly stopReason: StopReason
}

const passing = {
  remedies: ['retry'],
  mayFallBack: true,
  needsOperator: false,
  stopReason: 'model_unavailable',
} as const
const outOfService = {
  remedies: [],
  mayFallBack: true,
  needsOperator: true,
  stopReason: 'model_rejected',
} as const
const requestRejected = {
  remedies: ['change'],
  mayFallBack: true,
  needsOperator: false,
  stopReason: 'model_rejected',
} as const

/** Why a model call failed, and what follows. */
export const modelTroubles = {
  /** Temporary: overload, a lost connection, an unusable reply. */
  passing,
  /** Passes when the provider has capacity again. */
  rate_limited: passing,
  /** No progress for too long. */
  stalled: passing,
  key_rejected: outOfService,
  quota_spent: outOfService,
  /** Or what it refers to: own words of the model, or the API. */
  not_found: { ...outOfService, remedies: ['change'] },
  /** The same request would fail again; one with a smaller cap or a shorter conversation may succeed. */
  cap_too_high: requestRejected,
  context_too_long: requestRejected,
  /** The answer was empty twice. */
  empty_answer: { ...requestRejected, remedies: ['ask_again'], stopReason: 'empty_answer' },
  /** This model refuses this request, however often it is sent. */
  rejected: requestRejected,
  /** The provider's filter withheld the answer; no other model is tried. */
  withheld: { ...requestRejected, remedies: [], mayFallBack: false },
  /** The run has ended or failed for another reason. */
  none: { remedies: [], mayFallBack: false, needsOperator: false, stopReason: 'internal' },
} as const satisfies Record<string, Consequences>

export type ModelTrouble = keyof typeof modelTroubles

/** The model made no progress for as long as its patience allows, or only reasoned until an answer was due. */
export class ModelStalledError extends Error {
  override readonly name = 'ModelStalledError'
  /** Whether nothing at all had come. */
  readonly isSilent: boolean

  /** @param waitedMs how long we waited, in milliseconds */
  constructor(waitedMs: number, isSilent: boolean, what = 'made no progress') {
    super(`the model ${what} for ${Math.round(waitedMs / 100) / 10} s`)
    this.isSilent = isSilent
  }
}
