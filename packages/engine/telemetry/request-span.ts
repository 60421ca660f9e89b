import type { ServerResponse } from 'node:http'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { MiddlewareHandler } from 'hono'
import { EdgeError } from '../replies/errors.ts'
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
  return async (c, next) => {
    const observed = new RequestSpan(parts, c.req.raw, c.req.path, c.get('arrivedAt'))
    const { trace } = observed
    if (trace) c.set('trace', trace)
    const { outgoing } = (c.env ?? {}) as { outgoing?: ServerResponse }
    // If it closes before the whole reply is written, the caller hung up.
    outgoing?.once('close', () => observed.end(outgoing.writableFinished ? outgoing.statusCode : undefined))
    if (outgoing) return await next()
    // No socket: a program calls the application directly.
    try {
      await next()
      observed.end(c.res.status)
    } catch (thrown) {
      observed.end(thrown instanceof EdgeError ? thrown.status : 500)
      throw thrown
    }
  }
}

/** A request as a span, if it is to `/run`, and as a measure. */
class RequestSpan {
  readonly #parts: RunSpanParts
  readonly #startedAt: number
  readonly #toEpoch: ToEpoch
  readonly #attributes: Attributes
  readonly #context: Context | undefined

  /** @param startedAt `performance.now()` when it arrived */
  constructor(parts: RunSpanParts, { method, headers }: Request, path: string, startedAt: number) {
    this.#parts = parts
    this.#startedAt = startedAt
    const offset = Date.now() - performance.now()
    this.#toEpoch = moment => offset + moment
    this.#attributes = {
      'http.request.method': METHODS.includes(method) ? method : '_OTHER',
      'url.scheme': 'http',
      ...(ROUTES.includes(path) && { 'http.route': path, 'url.path': path }),
    }
    if (path !== '/run') return
    const parent = propagator.extract(ROOT_CONTEXT, headers, headerGetter)
    const options = {
      kind: SpanKind.SERVER,
      startTime: this.#toEpoch(startedAt),
      attributes: this.#attributes,
    }
    const name = `${this.#attributes['http.request.method']} ${path}`
    this.#context = trace.setSpan(parent, parts.tracer.startSpan(name, options, parent))
  }

  /** Traces the run that this request starts. */
  get trace(): RequestTrace | undefined {
    const context = this.#context
    if (!context) return undefined
    return { startRun: () => new RunSpan(this.#parts, context, this.#startedAt, this.#toEpoch) }
  }

  /** @param status of the reply; `undefined`: the caller hung up */
  end(status: number | undefined): void {
    const endedAt = performance.now()
    const failure = failureIn(status)
    const outcome: Attributes = {
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(failure !== undefined && { 'error.type': failure }),
    }
    const span = this.#context && trace.getSpan(this.#context)
    span?.setAttributes(outcome)
    if (failure !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end(this.#toEpoch(endedAt))
    const attributes = { ...this.#attributes, ...outcome }
    this.#parts.instruments.request((endedAt - this.#startedAt) / 1000, attributes)
  }
}

function failureIn(status: number | undefined): string | undefined {
  if (status === undefined) return 'hang_up'
  return status >= 500 ? String(status) : undefined
}

const headerGetter = {
  get: (headers: Headers, key: string) => headers.get(key) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
}
