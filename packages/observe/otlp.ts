import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { ObserveHost } from '@agent-task-service/engine/observe'
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

/** Where Node tells of each response. The exporters do not say which status made them try again. */
const RESPONSES = 'http.client.response.finish'

/** Bounds on waiting spans; beyond `maxQueueSize` they are dropped. Smaller when a span may hold a conversation. */
const QUEUE = { maxQueueSize: 2048, maxExportBatchSize: 512 }
const QUEUE_WITH_CONTENT = { maxQueueSize: 512, maxExportBatchSize: 64 }

/** Where spans and metrics come from, and how they are delivered. */
interface Source extends Pick<ObserveHost, 'onDelivery' | 'proxies'> {
  readonly settings: OpenTelemetrySettings
  readonly resource: Resource
}

/** Sends spans to a collector, in batches; `undefined` if they go nowhere. */
export async function tracerProvider(source: Source): Promise<TracerProvider | undefined> {
  const { settings, resource, onDelivery } = source
  const options = exporterOptions('TRACES', source)
  if (options === undefined) return undefined
  const { OTLPTraceExporter } =
    settings.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  const exporter = observed(new OTLPTraceExporter(options), options.url, onDelivery)
  const bounds = settings.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ? QUEUE_WITH_CONTENT : QUEUE
  const processor = new BatchSpanProcessor({ exporter, ...bounds })
  return new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors: [processor] })
}

/** Sends metrics to a collector at a fixed interval; `undefined` if they go nowhere. */
export async function meterProvider(source: Source): Promise<MeterProvider | undefined> {
  const { settings, resource, onDelivery } = source
  const options = exporterOptions('METRICS', source)
  if (options === undefined) return undefined
  const { OTLPMetricExporter } =
    settings.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto')
  const exporter = observed(new OTLPMetricExporter(options), options.url, onDelivery)
  const exportIntervalMillis = settings.OTEL_METRIC_EXPORT_INTERVAL
  return new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis })],
  })
}

function exporterOptions(signal: 'TRACES' | 'METRICS', { settings, proxies }: Source) {
  const url = urlFor(signal, settings)
  if (url === undefined) return undefined
  // The exporters have agents of their own. With a `timeout`, these close a connection before the collector does, if it says when.
  const agent = { keepAlive: true, timeout: 2 ** 31 - 1, ...(proxies && { proxyEnv: { ...proxies } }) }
  const { OTEL_EXPORTER_OTLP_HEADERS: common, [`OTEL_EXPORTER_OTLP_${signal}_HEADERS` as const]: own } =
    settings
  return { url, headers: { ...common, ...own }, httpAgentOptions: agent }
}

interface Exporter<Items> {
  export(items: Items, done: (result: { error?: Error }) => void): void
  shutdown(): Promise<void>
}

/** Tells how each delivery ended: of a failed one, with the status that the collector answered last. */
function observed<Items, E extends Exporter<Items>>(
  exporter: E & Exporter<Items>,
  url: string,
  onDelivery: ObserveHost['onDelivery'],
): E {
  const [send, end] = [exporter.export.bind(exporter), exporter.shutdown.bind(exporter)]
  const target = Object.assign(new URL(url), { username: '', password: '' }).href
  let status: number | undefined
  const hear = (message: unknown) => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage }
    const { protocol, path } = request
    if (new URL(path, `${protocol}//${request.getHeader('host')}`).href === target)
      status = response.statusCode
  }
  subscribe(RESPONSES, hear)
  exporter.export = (items, done) =>
    send(items, result => {
      const { error } = result
      // Other errors are those of a connection.
      onDelivery(error?.name === 'OTLPExporterError' ? Object.assign(error, { status }) : error)
      done(result)
    })
  exporter.shutdown = async () => {
    unsubscribe(RESPONSES, hear)
    await end()
  }
  return exporter
}

function samplerOf(settings: OpenTelemetrySettings): Sampler {
  const [, parentBased, kind] = /^(parentbased_)?(.*)$/.exec(settings.OTEL_TRACES_SAMPLER) ?? []
  const share = { always_off: 0, always_on: 1 }[kind ?? ''] ?? settings.OTEL_TRACES_SAMPLER_ARG
  const root = new TraceIdRatioBasedSampler(share)
  return parentBased ? new ParentBasedSampler({ root }) : root
}
