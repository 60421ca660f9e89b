import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Watch } from '../../graph/progress.ts'
import type { Outcome } from '../../graph/run.ts'
import type { Scrub } from '../scrub.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { RequestTrace } from '../telemetry/request-span.ts'
import {
  describeIssues,
  describeValue,
  echoTaskId,
  errorResponse,
  type Metrics,
  type RunRequest,
  type RunResponse,
  runRequestFor,
} from './contract.ts'
import { EdgeError } from './errors.ts'
import { streamRun, wantsStream } from './event-stream.ts'
import type { Lifecycle } from './health.ts'

/** What the edge keeps for each request: `arrivedAt`, its arrival in `performance.now()` milliseconds; where it is traced, `trace`. */
export interface EdgeEnv {
  Variables: { arrivedAt: number; trace?: RequestTrace }
}

/** Turns new tasks away while the service drains. */
export function refuseWhenDraining(lifecycle: Lifecycle): MiddlewareHandler {
  return (_c, next) => {
    if (lifecycle.draining) throw new EdgeError('draining', '', { 'Retry-After': '5' })
    return next()
  }
}

/** Takes JSON only, uncompressed: what is measured against the body limit is what is parsed. */
export const requireJson: MiddlewareHandler = (c, next) => {
  const type = c.req.header('content-type')
  const encoding = c.req.header('content-encoding')
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type ?? '')) {
    throw new EdgeError(
      'not_json_media_type',
      `got ${type === undefined ? 'no Content-Type' : describeValue(type)}`,
    )
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new EdgeError('not_json_media_type', `got the Content-Encoding ${describeValue(encoding)}`)
  }
  return next()
}

export function limitBody(maxSize: number): MiddlewareHandler {
  const onError = () => {
    throw new EdgeError('body_too_large', `the limit is ${maxSize} bytes`)
  }
  const limitStream = bodyLimit({ maxSize, onError })
  return (c, next) => {
    const length = c.req.header('content-length')
    // Node reads no more than was declared, so the body need not become a stream to be counted.
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) return limitStream(c, next)
    return Number(length) > maxSize ? onError() : next()
  }
}

/**
 * The run request, or its reply: 400 for what is no JSON object, else 200 in the error shape, since the orchestrator
 * would read a 4xx as a broken agent.
 *
 * @param toolNames tells the tools that `enabled_tools` may name
 * @param onInvalid told which fields were wrong
 */
export function validateRun(
  toolNames: () => readonly string[],
  onInvalid: (taskId: string, fields: readonly string[]) => void,
  scrub: Scrub,
) {
  return zValidator('json', runRequestFor(toolNames), (result, c: Context) => {
    if (result.success) return
    const body: unknown = result.data
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new EdgeError('not_an_object', `got ${describeValue(body)}`)
    }
    const { issues } = result.error
    const taskId = echoTaskId(body)
    onInvalid(
      taskId,
      issues.map(({ path }) => path.join('.')),
    )
    const reply = errorResponse(taskId, describeIssues(issues))
    if (wantsStream(c)) return streamRun(c, c.get('arrivedAt'), taskId, scrub, async () => reply)
    return c.json(reply)
  })
}

/** `POST /run`, the request being valid: the reply of its run, or the run's events where the caller asks for them. */
export function run(tasks: Tasks, scrub: Scrub) {
  return async (c: Context<EdgeEnv, '/run', { out: { json: RunRequest } }>): Promise<Response> => {
    const request = c.req.valid('json')
    const arrivedAt = c.get('arrivedAt')
    const begin = (watch?: Watch): Promise<RunResponse> => {
      const { response, replayed } = tasks.submit({
        request,
        arrivedAt,
        caller: c.req.raw.signal,
        watch,
        trace: c.get('trace'),
      })
      if (replayed) c.header('Idempotent-Replayed', 'true')
      return response
    }
    if (wantsStream(c)) return streamRun(c, arrivedAt, request.task_id, scrub, begin)
    return c.json(await begin())
  }
}

/** The outcome of a run as the interface has it. */
export function toResponse(taskId: string, outcome: Outcome, errorMetrics: 'empty' | 'filled'): RunResponse {
  const { status, output, error = '' } = outcome
  const metrics = metricsOf(outcome)
  switch (status) {
    case 'success':
      return { task_id: taskId, status, output, metrics }
    case 'timeout':
      return { task_id: taskId, status, output, metrics, error }
    case 'error':
      return errorResponse(taskId, error, errorMetrics === 'filled' ? metrics : undefined)
  }
}

export function metricsOf({ durationMs, usage }: Outcome): Metrics {
  return {
    duration_sec: Math.round(durationMs) / 1000,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    steps: usage.steps,
  }
}
