import type { ArrivedRequest, RequestObserver } from '@agent-task-service/engine/observe'
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { type RunSpanOptions, runSpan, type ToEpoch } from './run-span.ts'

/** Anything else is external text, and would create its own time series. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']
const ROUTES = ['/run', '/health']

const propagator = new W3CTraceContextPropagator()

/**
 * A request as a span, if it is to `/run`, and as a measure, from its arrival to the last byte of its reply. A valid `traceparent`
 * header (W3C Trace Context) makes it a child of the caller's span; an invalid one is ignored.
 */
export function requestSpan(
  options: RunSpanOptions,
  { method, path, headers, arrivedAt }: ArrivedRequest,
): RequestObserver {
  const offset = Date.now() - performance.now()
  const toEpoch: ToEpoch = moment => offset + moment
  const attributes: Attributes = {
    'http.request.method': METHODS.includes(method) ? method : '_OTHER',
    'url.scheme': 'http',
    ...(ROUTES.includes(path) && { 'http.route': path, 'url.path': path }),
  }
  const parent = propagator.extract(ROOT_CONTEXT, headers, headerGetter)
  const name = `${attributes['http.request.method']} ${path}`
  const spanOptions = { kind: SpanKind.SERVER, startTime: toEpoch(arrivedAt), attributes }
  const span = path === '/run' ? options.tracer.startSpan(name, spanOptions, parent) : undefined
  return {
    startRun: () => span && runSpan(options, trace.setSpan(parent, span), arrivedAt, toEpoch),
    end(status) {
      const endedAt = performance.now()
      const failure = failureIn(status)
      const outcome: Attributes = { 'http.response.status_code': status, 'error.type': failure }
      span?.setAttributes(outcome)
      if (failure !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end(toEpoch(endedAt))
      options.instruments.request((endedAt - arrivedAt) / 1000, { ...attributes, ...outcome })
    },
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
