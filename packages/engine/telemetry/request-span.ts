import type { ServerResponse } from 'node:http'
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { MiddlewareHandler } from 'hono'
import { EdgeError } from '../wire/errors.ts'
import { type RequestTrace, RunSpan, type RunSpanParts, type ToEpoch } from './run-span.ts'

/** Anything else is external text, and would create its own time series. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']
const ROUTES = ['/run', '/health']

/** What is known of a request while it is observed. */
export interface ObservedRequest {
  /** In `performance.now()` milliseconds. */
  arrivedAt: number
  /** Absent: the request is not traced. */
  trace?: RequestTrace
}

/** Observes requests. */
export type Observe = MiddlewareHandler<{ Variables: ObservedRequest }>

const propagator = new W3CTraceContextPropagator()

/**
 * Measures each request from its arrival to the last byte of its reply, and starts a span for requests to `/run`. A valid
 * `traceparent` header (W3C Trace Context) makes it a child of the caller's span; an invalid one is ignored.
 */
export function observeRequests(parts: RunSpanParts): Observe {
  const { tracer, instruments } = parts
  return async (c, next) => {
    const startedAt = c.get('arrivedAt')
    const offset = Date.now() - performance.now()
    const toEpoch: ToEpoch = moment => offset + moment
    const { path, method } = c.req
    const attributes: Attributes = {
      'http.request.method': METHODS.includes(method) ? method : '_OTHER',
      'url.scheme': 'http',
      ...(ROUTES.includes(path) && { 'http.route': path, 'url.path': path }),
    }
    const isRun = path === '/run'
    const parent = isRun ? propagator.extract(ROOT_CONTEXT, c.req.raw.headers, headerGetter) : ROOT_CONTEXT
    const options = { kind: SpanKind.SERVER, startTime: toEpoch(startedAt), attributes }
    const span = isRun
      ? tracer.startSpan(`${attributes['http.request.method']} ${path}`, options, parent)
      : undefined
    if (span)
      c.set('trace', { startRun: () => new RunSpan(parts, trace.setSpan(parent, span), startedAt, toEpoch) })

    const finish = (status: number | undefined) => {
      const endedAt = performance.now()
      const failure = status === undefined ? 'hang_up' : status >= 500 ? String(status) : undefined
      const outcome: Attributes = {
        ...(status !== undefined && { 'http.response.status_code': status }),
        ...(failure !== undefined && { 'error.type': failure }),
      }
      span?.setAttributes(outcome)
      if (failure !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end(toEpoch(endedAt))
      instruments.request((endedAt - startedAt) / 1000, { ...attributes, ...outcome })
    }
    const { outgoing } = (c.env ?? {}) as { outgoing?: ServerResponse }
    // If it closes before the whole reply is written, the caller hung up.
    outgoing?.once('close', () => finish(outgoing.writableFinished ? outgoing.statusCode : undefined))
    if (outgoing) return await next()
    // No socket: a program calls the application directly.
    try {
      await next()
      finish(c.res.status)
    } catch (thrown) {
      finish(thrown instanceof EdgeError ? thrown.status : 500)
      throw thrown
    }
  }
}

const headerGetter = {
  get: (headers: Headers, key: string) => headers.get(key) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
}
