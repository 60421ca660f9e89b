import type { AgentOptions } from 'node:http'
import type { ObserveHost, Proxies } from '@agent-task-service/engine/observe'
import type { Resource } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type OpenTelemetrySettings, urlFor } from './settings.ts'

type OnDelivery = ObserveHost['onDelivery']

/** Bounds on waiting spans; beyond `maxQueueSize` they are dropped. Smaller when a span may hold a conversation. */
const QUEUE = { maxQueueSize: 2048, maxExportBatchSize: 512 }
const QUEUE_WITH_CONTENT = { maxQueueSize: 512, maxExportBatchSize: 64 }

/** Sends spans to a collector, in batches; `undefined` if they go nowhere. */
export async function tracerProvider(
  settings: OpenTelemetrySettings,
  resource: Resource,
  onDelivery: OnDelivery,
  proxies: Proxies | undefined,
): Promise<TracerProvider | undefined> {
  const url = urlFor('TRACES', settings)
  if (url === undefined) return undefined
  const { OTLPTraceExporter } =
    settings.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  const exporter = observed(
    new OTLPTraceExporter({ url, httpAgentOptions: agentOptions(proxies) }),
    onDelivery,
  )
  const bounds = settings.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ? QUEUE_WITH_CONTENT : QUEUE
  const processor = new BatchSpanProcessor({ exporter, ...bounds })
  return new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors: [processor] })
}

/** Sends metrics to a collector at a fixed interval; `undefined` if they go nowhere. */
export async function meterProvider(
  settings: OpenTelemetrySettings,
  resource: Resource,
  onDelivery: OnDelivery,
  proxies: Proxies | undefined,
): Promise<MeterProvider | undefined> {
  const url = urlFor('METRICS', settings)
  if (url === undefined) return undefined
  const { OTLPMetricExporter } =
    settings.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto')
  const exporter = observed(
    new OTLPMetricExporter({ url, httpAgentOptions: agentOptions(proxies) }),
    onDelivery,
  )
  const exportIntervalMillis = settings.OTEL_METRIC_EXPORT_INTERVAL
  return new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis })],
  })
}

/** The exporters have agents of their own. With a `timeout`, these close a connection before the collector does, if it says when. */
function agentOptions(proxies: Proxies | undefined): AgentOptions {
  return { keepAlive: true, timeout: 2 ** 31 - 1, ...(proxies && { proxyEnv: { ...proxies } }) }
}

interface Exporter<Items> {
  export(items: Items, done: (result: { error?: Error }) => void): void
}

function observed<Items, E extends Exporter<Items>>(
  exporter: E & Exporter<Items>,
  onDelivery: OnDelivery,
): E {
  const send = exporter.export.bind(exporter)
  exporter.export = (items, done) =>
    send(items, result => {
      onDelivery(result.error)
      done(result)
    })
  return exporter
}

function samplerOf(settings: OpenTelemetrySettings): Sampler {
  const [, parentBased, kind] = /^(parentbased_)?(.*)$/.exec(settings.OTEL_TRACES_SAMPLER) ?? []
  const share = { always_off: 0, always_on: 1 }[kind ?? ''] ?? settings.OTEL_TRACES_SAMPLER_ARG
  const root = new TraceIdRatioBasedSampler(share)
  return parentBased ? new ParentBasedSampler({ root }) : root
}
