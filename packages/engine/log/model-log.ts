import type { Mask } from '@agent-task-service/wire/masking'
import { modelTroubles } from '../failures/model-trouble.ts'
import type { RunEvent, RunEventOf } from '../run/events.ts'
import type { Outcome } from '../run/task.ts'
import type { Log } from './log.ts'
import { isOfModel, Met, ServingLog } from './serving-log.ts'

/** Longest provider message in the log, in characters. */
const MAX_MESSAGE_LENGTH = 300

/** Of a class whose retries know nothing of the run's time. */
export const RETRIES = 'retries by itself; create it with maxRetries: 0'

/**
 * Logs how the models are doing: failed calls (at debug), models given up, what is learnt from refusals, and whether the service can
 * serve at all.
 *
 * @returns what follows one run: whom to tell of its events, and of its end; that gives the level of its log line
 */
export function modelLog(log: Log, mask: Mask) {
  const serving = new ServingLog(log)
  /** What is logged once for each class of models. */
  const warned = new Set<string>()

  function warnOnce(chatClass: string, fields: object, message: string): void {
    const key = `${chatClass} ${message}`
    if (warned.has(key)) return
    warned.add(key)
    log.warn(fields, message)
  }

  /** What a node should know of the class of a model of its own. */
  function warnOfClass({ data, chatClass, isUncapped, ownRetries: retries }: RunEventOf<'model_started'>) {
    const fields = { model: data.model, class: chatClass }
    if (isUncapped) warnOnce(chatClass, fields, 'takes no cap per call')
    if (retries > 0) warnOnce(chatClass, { ...fields, retries }, RETRIES)
  }

  function messageOf(error: unknown): { readonly provider_message?: string } {
    if (!(error instanceof Error) || error.name !== 'ProviderError') return {}
    const message = mask.external(error.message).slice(0, MAX_MESSAGE_LENGTH)
    return { provider_message: message.toWellFormed() }
  }

  function logGivenUp({ data, error: err }: RunEventOf<'model_given_up'>, task_id: string, met: Met): void {
    const { model, reason, next } = data
    const isOpen = reason === 'breaker_open'
    const needsOperator = !isOpen && modelTroubles[reason].needsOperator
    // A model behind an open breaker is asked all the same, last.
    if (!isOpen) met.gaveUp({ model, reason, err }, next === null)
    // While nothing can be served, every run would repeat this. The last model's failure is on the run's own line.
    if (serving.isOut) return
    const isTold = next !== null || reason === 'stalled' || (needsOperator && met.mayPass)
    const level = needsOperator ? 'error' : 'warn'
    if (isTold) log[level]({ task_id, model, reason, next: next ?? undefined, err }, 'model given up')
  }

  return (task_id: string) => {
    const met = new Met()
    return {
      record(event: RunEvent): void {
        switch (event.type) {
          case 'model_started':
            warnOfClass(event)
            break
          case 'model_finished':
            if (!event.data.replayed) met.replied(event.at)
            break
          case 'model_failed': {
            const { model, attempt } = event.data
            const { error } = event
            const detail = log.isLevelEnabled('debug') && messageOf(error)
            log.debug({ task_id, model, attempt, err: error, ...detail }, 'model call failed')
            break
          }
          case 'model_learnt': {
            const { model, facts: learnt } = event.data
            log.info({ task_id, model, learnt }, 'learnt from a refusal')
            break
          }
          case 'model_given_up':
            logGivenUp(event, task_id, met)
        }
      },
      finish(outcome: Outcome): 'error' | 'warn' | 'info' {
        const { stop } = outcome
        serving.ended(outcome, met)
        if (stop === 'internal') return 'error'
        const isLost = isOfModel(stop) || stop === 'empty_answer'
        return isLost && !serving.isOut ? 'warn' : 'info'
      },
    }
  }
}
