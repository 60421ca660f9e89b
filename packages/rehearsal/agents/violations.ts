/**
 * How an agent's reply violates the contract, one sentence each: `expected …, got …`. Whatever it leaves open is allowed: extra
 * members, details in the `output` of an error (the contract says both), and empty or filled `metrics` of an error.
 */
import { describeValue, metrics as metricsSchema } from '@agent-task-service/wire/contract'
import { isObject, type JsonObject, textOf } from '../json.ts'
import type { Exchange } from './exchange.ts'

/** Statuses with which an agent, or a server in front of it, may refuse a valid task. */
const INFRASTRUCTURE = new Set([401, 413, 429, 503])

/** What is known of the request that a reply answers. */
export interface RequestFacts {
  /** The request's id; absent if it had none, and then the echo is not checked. */
  readonly taskId?: string | undefined
  /** Whether the request was valid; the contract does not say how an invalid one is refused. Default: true. */
  readonly isValid?: boolean
}

/** How the reply to `POST /run` violates the contract. */
export function runViolations(exchange: Exchange, request: RequestFacts): string[] {
  const { status, failure } = exchange
  if (failure !== null) return [`expected a complete reply, got none: ${failure.message}`]
  if (isInfrastructure(status, request)) return []
  if (status !== 200) {
    return [`expected HTTP 200, even for a failed task (4xx and 5xx mean infrastructure), got ${status}`]
  }
  return [
    ...contentTypeViolations(exchange),
    ...bodyViolations(exchange, body => responseViolations(body, request)),
  ]
}

/** Whether a reply reports an infrastructure problem, for which the contract defines only the status. */
export function isInfrastructure(status: number | null, { isValid = true }: RequestFacts): boolean {
  if (status === null) return false
  return INFRASTRUCTURE.has(status) || (!isValid && status >= 400 && status < 500)
}

/** How a run response violates the contract, whether from a reply's body or the last event of a stream. */
function responseViolations(body: JsonObject, { taskId }: RequestFacts): string[] {
  const { task_id, status, output, metrics, error } = body
  const echo = taskId === undefined ? 'a string' : `the task_id of the request, ${describeValue(taskId)}`
  const isEcho = taskId === undefined ? typeof task_id === 'string' : task_id === taskId
  const isStatus = status === 'success' || status === 'error' || status === 'timeout'
  const isDescribed = typeof error === 'string' && error.trim() !== ''
  return [
    ...unless(isEcho, 'task_id', echo, task_id),
    ...unless(isStatus, 'status', '"success", "error" or "timeout"', status),
    ...unless(typeof output === 'string', 'output', 'a string', output),
    ...unless(status !== 'error' || isDescribed, 'error', 'a description of the failure', error),
    ...metricsViolations(metrics, status === 'error'),
  ]
}

function metricsViolations(metrics: unknown, mayBeEmpty: boolean): string[] {
  if (!isObject(metrics)) return unless(false, 'metrics', 'an object', metrics)
  if (mayBeEmpty && Object.keys(metrics).length === 0) return []
  return Object.keys(metricsSchema.shape).flatMap(name => {
    const value = Object.hasOwn(metrics, name) ? metrics[name] : undefined
    const isSeconds = name === 'duration_sec'
    const fits = isSeconds ? Number.isFinite(value) : Number.isInteger(value)
    // Most JSON parsers round larger numbers.
    const isLarge = Number(value) > Number.MAX_SAFE_INTEGER
    if (fits && Number(value) >= 0 && !isLarge) return []
    const bound = isLarge ? 'at most 2^53 - 1' : '0 or more'
    const expected = `${isSeconds ? 'a number of seconds' : 'an integer'}, ${bound}`
    return unless(false, `metrics.${name}`, expected, value)
  })
}

/** How a healthy agent's reply to `GET /health` violates the contract. */
export function healthViolations(exchange: Exchange): string[] {
  const { status, failure } = exchange
  if (failure !== null) return [`expected a complete reply, got none: ${failure.message}`]
  if (status !== 200) return [`expected HTTP 200, got ${status}`]
  return [
    ...contentTypeViolations(exchange),
    ...bodyViolations(exchange, ({ status, agent_id, agent_name }) => [
      ...unless(status === 'ok', 'status', '"ok"', status),
      ...unless(/^agent-\d+$/.test(String(agent_id)), 'agent_id', 'agent-<number>', agent_id),
      ...unless(/\S/.test(textOf(agent_name)), 'agent_name', 'a non-blank string', agent_name),
    ]),
  ]
}

function unless(holds: boolean, member: string, expected: string, value: unknown): string[] {
  return holds ? [] : [`${member}: expected ${expected}, got ${describeValue(value)}`]
}

function contentTypeViolations({ headers }: Exchange): string[] {
  const type = headers['content-type']
  if (type !== undefined && /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return []
  return [`Content-Type: expected application/json, got ${describeValue(type)}`]
}

function bodyViolations({ json, body }: Exchange, inspect: (body: JsonObject) => string[]): string[] {
  if (body.startsWith('\ufeff')) return ['body: expected JSON, got a byte order mark before it']
  if (isObject(json)) return inspect(json)
  const received = json === undefined ? describeValue(body) : describeValue(json)
  return [`body: expected a JSON object in UTF-8, got ${received}`]
}
