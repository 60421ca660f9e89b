import { errorResponse, type RunError } from '@agent-task-service/wire/contract'
import { type Exchange, meansUnreachable } from '../../agents/exchange.ts'
import { isInfrastructure, runViolations } from '../../agents/violations.ts'
import type { RunStatus } from '../../api.ts'
import type { Redact } from '../../redact.ts'
import type { ReceivedTask } from './task.ts'

/** The platform's own answer instead of an agent's: an error's run response, with more for a broken reply. */
export interface PlatformAnswer extends RunError {
  /** How the reply violates the contract, one sentence each. */
  readonly broken?: readonly string[]
}

export const PLATFORM_FAILED = 'the platform itself failed; see its output'

/** What the platform makes of an agent's reply. */
export interface RelayResult {
  readonly status: RunStatus
  readonly httpStatus: number
  readonly broken: readonly string[]
  /** Replaces the agent's reply; null: the reply is passed back unchanged. */
  readonly answer: PlatformAnswer | null
}

/**
 * Decides what becomes of a reply. One that follows the contract is passed back with its own code, and so is a refusal for infrastructure
 * reasons. Otherwise 504 on a timeout, 499 if it was cancelled, 502 for everything else; if nothing accepted the connection, the
 * agent has violated nothing.
 *
 * @param agentId for the text of the answer
 */
export function outcomeOf(
  agentId: string,
  exchange: Exchange,
  task: ReceivedTask,
  redact: Redact,
): RelayResult {
  const { failure, status } = exchange
  if (failure?.kind === 'aborted')
    return refuse(499, `${failure.message} before ${agentId} replied`, task, 'cancelled')
  if (failure !== null && meansUnreachable(failure))
    return refuse(502, `${agentId} cannot be reached: ${failure.message}`, task, 'unreachable')
  const broken = brokenIn(exchange, task, redact)
  if (failure?.kind === 'timeout')
    return { ...refuse(504, `${agentId} gave ${failure.message}`, task, 'violation'), broken }
  if (broken.length > 0) {
    const why = failure?.message ?? broken.join('; ')
    const what = failure === null ? "'s reply violates the contract" : ' gave no complete reply'
    const refusal = refuse(502, `${agentId}${what}: ${redact.text(why)}`, task, 'violation')
    return { ...refusal, broken, answer: { ...refusal.answer, broken } }
  }
  const isRefusal = isInfrastructure(status, task)
  const own = (exchange.json as { status?: RunStatus } | undefined)?.status
  return {
    status: isRefusal || own === undefined ? 'refused' : own,
    httpStatus: status ?? 502,
    broken,
    answer: null,
  }
}

/** The platform's own answer. */
export function refuse(
  httpStatus: number,
  error: string,
  { echo }: Pick<ReceivedTask, 'echo'>,
  status: RunStatus = 'refused',
): RelayResult & { readonly answer: PlatformAnswer } {
  return { status, httpStatus, broken: [], answer: errorResponse(echo, error) }
}

/** The sentences quote truncated values: secrets must go before the truncation. */
function brokenIn(exchange: Exchange, task: ReceivedTask, redact: Redact): string[] {
  const broken = runViolations(exchange, task)
  if (broken.length === 0) return broken
  const { body, json } = exchange
  const redacted = runViolations({ ...exchange, body: redact.text(body), json: redact.json(json) }, task)
  return redacted.length === broken.length ? redacted : broken.map(redact.text)
}
