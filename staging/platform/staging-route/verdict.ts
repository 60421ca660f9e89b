import { errorResponse, type RunError } from '../../../src/http/contract.ts'
import type { Exchange } from '../../agents/exchange.ts'
import { isInfrastructure, runViolations } from '../../agents/violations.ts'
import type { RunStatus } from '../../api.ts'
import type { Redact } from '../../redact.ts'
import type { Task } from './task.ts'

/** Longest part of a broken reply that is shown, in characters. */
const MAX_SHOWN_LENGTH = 4_000

/** The platform's own answer in place of an agent's: the run response of an error, and more where a reply was broken. */
export interface PlatformAnswer extends RunError {
  /** What of the reply breaks the interface, one sentence each. */
  readonly broken?: readonly string[]
  /** The agent's reply, without secrets, its first 4,000 characters. */
  readonly reply?: {
    readonly status: number | null
    readonly content_type: string | null
    readonly body: string
  }
}

/** What the platform makes of an agent's reply. */
export interface Verdict {
  readonly status: RunStatus
  readonly httpStatus: number
  readonly broken: readonly string[]
  /** In place of the agent's reply; null: that is passed back as it is. */
  readonly answer: PlatformAnswer | null
}

/**
 * Judges a reply: a whole one that keeps the contract is passed back with its own code, and so is a refusal for reasons
 * of infrastructure. Else 504 where time ran out, 499 where the caller left, 502 for everything else.
 *
 * @param agentId for the text of the answer
 */
export function judge(agentId: string, exchange: Exchange, task: Task, redact: Redact): Verdict {
  const { failure, status } = exchange
  if (failure?.kind === 'aborted')
    return { ...refuse(499, `the caller of ${agentId} left before its reply`, task), status: 'cancelled' }
  const broken = brokenIn(exchange, task, redact)
  if (failure?.kind === 'timeout') {
    return { ...refuse(504, `${agentId} gave ${failure.message}`, task), status: 'violation', broken }
  }
  if (broken.length > 0) {
    const why = failure?.message ?? broken.join('; ')
    const what = failure === null ? "'s reply breaks the interface" : ' gave no whole reply'
    const told = refuse(502, `${agentId}${what}: ${redact.text(why)}`, task)
    return {
      ...told,
      status: 'violation',
      broken,
      answer: { ...told.answer, broken, reply: shown(exchange, redact) },
    }
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

/** An answer of the platform itself. */
export function refuse(
  httpStatus: number,
  error: string,
  { echo }: Pick<Task, 'echo'>,
): Verdict & { readonly answer: PlatformAnswer } {
  return { status: 'refused', httpStatus, broken: [], answer: errorResponse(echo, error) }
}

/** Sentences quote the beginnings of values: secrets are taken out before these are cut. */
function brokenIn(exchange: Exchange, task: Task, redact: Redact): string[] {
  const broken = runViolations(exchange, task)
  if (broken.length === 0) return broken
  const { body, json } = exchange
  const told = runViolations({ ...exchange, body: redact.text(body), json: redact.json(json) }, task)
  return told.length === broken.length ? told : broken.map(redact.text)
}

function shown({ status, headers, body }: Exchange, redact: Redact): PlatformAnswer['reply'] {
  return {
    status,
    content_type: headers['content-type'] ?? null,
    body: redact.text(body).slice(0, MAX_SHOWN_LENGTH),
  }
}
