import type { ArrivedRequest, RequestObserver } from '@agent-task-service/engine/observe'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { RunSpan, type RunSpanOptions, type ToEpoch } from './run-span.ts'

/** Anything else is external text, and would create its own time series. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']
const ROUTES = ['/run', '/health']

const propagator = new W3CTraceContextPropagator()

/**
 * A request as a span, if it is to `/run`, and as a measure, from its arrival to the last byte of its reply. A valid `traceparent`
 * header (W3C Trace Context) makes it a child of the caller's span; an invalid one is ignored.
 */
export class RequestSpan implements RequestObserver {
  readonly #options: RunSpanOptions
  readonly #startedAt: number
  readonly #toEpoch: ToEpoch
  readonly #attributes: Attributes
  readonly #context: Context | undefined

  constructor(options: RunSpanOptions, { method, path, headers, arrivedAt }: ArrivedRequest) {
    this.#options = options
    this.#startedAt = arrivedAt
    const offset = Date.now() - performance.now()
    this.#toEpoch = moment => offset + moment
    this.#attributes = {
      'http.request.method': METHODS.includes(method) ? method : '_OTHER',
      'url.scheme': 'http',
      ...(ROUTES.includes(path) && { 'http.route': path, 'url.path': path }),
    }
    if (path !== '/run') return
    const parent = propagator.extract(ROOT_CONTEXT, headers, headerGetter)
    const spanOptions = {
      kind: SpanKind.SERVER,
      startTime: this.#toEpoch(arrivedAt),
      attributes: this.#attributes,
    }
    const name = `${this.#attributes['http.request.method']} ${path}`
    this.#context = trace.setSpan(parent, options.tracer.startSpan(name, spanOptions, parent))
  }

  startRun(): RunSpan | undefined {
    return this.#context && new RunSpan(this.#options, this.#context, this.#startedAt, this.#toEpoch)
  }

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
    this.#options.instruments.request((endedAt - this.#startedAt) / 1000, attributes)
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
