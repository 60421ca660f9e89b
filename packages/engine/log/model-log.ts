import type { Mask } from '@agent-task-service/wire/masking'
import { modelTroubles } from '../failures/model-trouble.ts'
import type { RunEvent, RunEventOf } from '../run/events.ts'
import type { Outcome } from '../run/task.ts'
import type { Log } from './log.ts'

/** Longest provider message in the log, in characters. */
const MAX_MESSAGE_LENGTH = 300

/** Of a class whose retries know nothing of the run's time. */
export const RETRIES = 'retries by itself; create it with maxRetries: 0'

/** Logs how the models are doing: failed calls (at debug), models given up, what is learnt from refusals, and whether the service can serve at all. */
export class ModelLog {
  readonly #log: Log
  readonly #mask: Mask
  #isOut = false
  /** What is logged once for each class of models. */
  readonly #warned = new Set<string>()

  constructor(log: Log, mask: Mask) {
    this.#log = log
    this.#mask = mask
  }

  record(event: RunEvent, task_id: string): void {
    switch (event.type) {
      case 'model_started':
        this.#warnOfClass(event)
        break
      case 'model_finished':
        if (event.data.replayed) break
        if (this.#isOut) this.#log.info({ model: event.data.model }, 'serving again')
        this.#isOut = false
        break
      case 'model_failed': {
        const { model, attempt } = event.data
        const { error } = event
        const detail = this.#log.isLevelEnabled('debug') && this.#messageOf(error)
        this.#log.debug({ task_id, model, attempt, err: error, ...detail }, 'model call failed')
        break
      }
      case 'model_learnt':
        this.#log.info(
          { task_id, model: event.data.model, learnt: event.data.facts },
          'learnt from a refusal',
        )
        break
      case 'model_given_up':
        this.#logGivenUp(event, task_id)
    }
  }

  /** What a node should know of the class of a model of its own. */
  #warnOfClass({ data, chatClass, isUncapped, ownRetries: retries }: RunEventOf<'model_started'>): void {
    const fields = { model: data.model, class: chatClass }
    if (isUncapped) this.#warnOnce(chatClass, fields, 'takes no cap per call')
    if (retries > 0) this.#warnOnce(chatClass, { ...fields, retries }, RETRIES)
  }

  #warnOnce(chatClass: string, fields: object, message: string): void {
    const key = `${chatClass} ${message}`
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    this.#log.warn(fields, message)
  }

  #logGivenUp({ data, error: err }: RunEventOf<'model_given_up'>, task_id: string): void {
    const { model, reason, next } = data
    // While nothing can be served, every run would repeat this. The last model's failure is on the run's own line.
    if (this.#isOut) return
    const needsOperator = reason !== 'breaker_open' && modelTroubles[reason].needsOperator
    const level = needsOperator ? 'error' : 'warn'
    if (next !== null || reason === 'stalled')
      this.#log[level]({ task_id, model, reason, next: next ?? undefined, err }, 'model given up')
    else if (needsOperator) {
      this.#isOut = true
      this.#log.error({ model, reason, err }, 'cannot serve')
    }
  }

  /** The level of a run's log line. */
  levelOf({ stop }: Outcome): 'error' | 'warn' | 'info' {
    if (stop === 'internal') return 'error'
    const isLost = ['model_unavailable', 'model_rejected', 'empty_answer'].includes(stop)
    return isLost && !this.#isOut ? 'warn' : 'info'
  }

  #messageOf(error: unknown): { readonly provider_message?: string } {
    if (!(error instanceof Error) || error.name !== 'ProviderError') return {}
    const message = this.#mask.external(error.message).slice(0, MAX_MESSAGE_LENGTH)
    return { provider_message: message.toWellFormed() }
  }
}
