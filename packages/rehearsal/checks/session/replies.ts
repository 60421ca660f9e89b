import type { RunRequest } from '@agent-task-service/wire/contract'
import type { Exchange } from '../../agents/exchange.ts'
import { runViolations } from '../../agents/violations.ts'
import { isObject, type JsonObject } from '../../json.ts'
import type { Busy } from '../../own-delay.ts'
import type { ReceivedAnswer, When } from '../../tasks/judge.ts'

/** One run of a valid task, and its outcome. */
export interface CheckedRun {
  readonly request: RunRequest
  readonly exchange: Exchange
  /** The reply's JSON object; empty if it is not one. */
  readonly reply: Readonly<Record<string, unknown>> & ReceivedAnswer
  readonly when: When
  /** Whether the checks had no other run in progress. */
  readonly alone: boolean
  /** The contract does not say that it is valid: it names tools that this agent may not have, or its id has leading zeros. */
  readonly mayRefuse: boolean
  /** Present if the machine was too busy to hold its time against the agent. */
  readonly busy: Busy | undefined
  /** Number of its record at the platform, if there is one. */
  readonly record?: number | undefined
}

/** No tokenizer makes a single token out of more characters of ordinary text. */
export const CHARACTERS_PER_TOKEN = 20
/** Of prose as a whole, it is a word or stands for four characters, as some agents count: twice that is beyond any. */
export const PROSE_PER_TOKEN = 8

/** A reply's violations, by part of the contract. */
export interface Violations {
  /** A status other than 200. */
  readonly http: readonly string[]
  readonly taskId: readonly string[]
  readonly metrics: readonly string[]
  /** The rest of the body, and its `Content-Type`. */
  readonly shape: readonly string[]
}

/** @returns no violations for an incomplete reply, since that is not a question of shape, or for a refusal that is allowed */
export function violationsOf({ request, exchange, mayRefuse }: CheckedRun): Violations {
  const { status, failure } = exchange
  const none: Violations = { http: [], taskId: [], metrics: [], shape: [] }
  const isRefused = status !== null && status >= 400 && status < 500
  if (failure !== null || (mayRefuse && isRefused)) return none
  if (status !== 200) return { ...none, http: [wrongCode(status)] }
  const all = runViolations(exchange, { taskId: request.task_id })
  const of = (member: string) => all.filter(problem => problem.startsWith(member))
  const taskId = of('task_id')
  const metrics = of('metrics')
  const shape = all.filter(problem => !taskId.includes(problem) && !metrics.includes(problem))
  return { http: [], taskId, metrics, shape }
}

/** Why a run that should have succeeded did not; undefined if it did. */
export function failuresOf({ exchange, reply }: Pick<CheckedRun, 'exchange' | 'reply'>): string[] {
  const { status, failure } = exchange
  if (failure !== null) return [`expected a complete reply, but ${failure.message}`]
  // A success with a wrong code is reported once, by the check of the code.
  if (reply.status === 'success') return []
  if (status !== 200) return [wrongCode(status)]
  const reason = typeof reply.error === 'string' ? `: ${reply.error.slice(0, 200)}` : ''
  return [`expected the status "success", got ${JSON.stringify(reply.status) ?? 'none'}${reason}`]
}

export function wrongCode(status: number | null): string {
  return `expected HTTP 200, got ${status}`
}

/** The reply's JSON object, if it is one. */
export function replyObject({ json }: Exchange): JsonObject | undefined {
  return isObject(json) ? json : undefined
}

/** What it asked, but for its id. */
export function taskKeyOf({ request: { input, config } }: Pick<CheckedRun, 'request'>): string {
  return JSON.stringify([input, config ?? {}])
}

/** The metrics of a successful run; undefined for any other. */
export function figuresOf({ reply: { status, metrics } }: CheckedRun): JsonObject {
  return status === 'success' && isObject(metrics) ? metrics : {}
}

/** What a successful run answered; '' for any other. */
export function outputOf({ reply: { status, output } }: Pick<CheckedRun, 'reply'>): string {
  return status === 'success' ? String(output) : ''
}

/** The fewest steps of a successful run; an answer from a cache, which may report none, shows nothing. */
export function leastSteps(runs: readonly CheckedRun[]): number {
  return Math.min(...runs.map(run => Number(figuresOf(run).steps)).filter(steps => steps > 0))
}

/** Whether the agent refused the run because it is at capacity, or for a time. */
export function isBusy({ status, headers }: Exchange): boolean {
  return status === 429 || status === 503 || (Number(status) >= 400 && headers['retry-after'] !== undefined)
}
