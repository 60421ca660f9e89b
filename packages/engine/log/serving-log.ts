import { classifyModelError } from '../failures/classify-error.ts'
import { type ModelTrouble, modelTroubles } from '../failures/model-trouble.ts'
import type { StopReason } from '../failures/stop-reason.ts'
import type { Outcome } from '../run/task.ts'
import type { Log } from './log.ts'
import { StateLog } from './state-log.ts'

/** Runs in a row, lost to models that do not answer, after which nothing is served; a single one may be bad luck. */
const LOST_IN_A_ROW = 3
const CANNOT_SERVE = 'cannot serve'

/** Whether a run ended because of its model, or of what was asked of it. */
export function isOfModel(stop: StopReason): boolean {
  return stop === 'model_unavailable' || stop === 'model_rejected'
}

interface Failure {
  readonly model: string | undefined
  readonly reason: ModelTrouble
  readonly err: unknown
}

/** What one run has met at the models. */
export class Met {
  /** When a model last replied, by `performance.now()`; absent: none has, but with what was recorded. */
  repliedAt: number | undefined
  /** Whether one of them failed in a way that may pass, or that another run need not meet. */
  mayPass = false
  /** The last model's failure, if another run would meet it too. */
  lost: Failure | undefined

  replied(at: number): void {
    this.repliedAt = at
    this.lost = undefined
  }

  /** @param isLast whether no other model is left */
  gaveUp(failure: Failure, isLast: boolean): void {
    const { needsOperator, stopReason } = modelTroubles[failure.reason]
    if (!needsOperator) this.mayPass = true
    if (isLast && (needsOperator || stopReason === 'model_unavailable')) this.lost = failure
  }
}

/**
 * Logs when the service can serve no run, and when it can again. It cannot from the run on that finds no model which can answer until
 * an operator acts, or from the third in a row that is lost to models which do not answer; until a run is answered.
 */
export class ServingLog {
  #lostInARow = 0
  #outSince: number | undefined
  readonly #states: StateLog

  constructor(log: Log) {
    this.#states = new StateLog((state, count, fields) =>
      log[state === CANNOT_SERVE ? 'error' : 'info']({ ...fields, ...(count > 1 && { count }) }, state),
    )
  }

  /** Whether nothing can be served. */
  get isOut(): boolean {
    return this.#outSince !== undefined
  }

  /** A run has ended. */
  ended({ status, stop, model, cause: err }: Outcome, met: Met): void {
    // A node's own model is given up without an event.
    if (isOfModel(stop) && !met.lost)
      met.gaveUp({ model, reason: classifyModelError(err).trouble, err }, true)
    if (status === 'success') this.#answered(met, model)
    else if (met.lost) this.#missed(met.lost, met.mayPass)
  }

  #answered({ repliedAt }: Met, model: string | undefined): void {
    // A reply of before shows nothing.
    if (repliedAt === undefined || repliedAt < (this.#outSince ?? 0)) return
    this.#lostInARow = 0
    if (!this.isOut) return
    this.#outSince = undefined
    this.#states.change('serving again', { model })
  }

  #missed(failure: Failure, mayPass: boolean): void {
    this.#lostInARow += 1
    if (this.isOut || (mayPass && this.#lostInARow < LOST_IN_A_ROW)) return
    this.#outSince = performance.now()
    this.#states.change(CANNOT_SERVE, failure)
  }
}
