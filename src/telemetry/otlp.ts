import type { Resource } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { OpenTelemetrySettings, OtlpProtocol, OtlpTarget } from './settings.ts'

/** Called after each delivery, with the error if it failed. */
export type OnDelivery = (fault?: unknown) => void

/** Bounds on waiting spans; beyond `maxQueueSize` they are dropped. Smaller when a span may hold a conversation. */
const QUEUE = { maxQueueSize: 2048, maxExportBatchSize: 512 }
const QUEUE_WITH_CONTENT = { maxQueueSize: 512, maxExportBatchSize: 64 }

/** Sends spans to a collector, in batches. */
export async function tracerProvider(
  target: OtlpTarget,
  { sampler, captureContent }: OpenTelemetrySettings,
  resource: Resource,
  onDelivery: OnDelivery,
): Promise<TracerProvider> {
  const { OTLPTraceExporter } = await exportersFor(target.protocol)
  const exporter = observed(new OTLPTraceExporter(optionsOf(target)), onDelivery)
  const processor = new BatchSpanProcessor({ exporter, ...(captureContent ? QUEUE_WITH_CONTENT : QUEUE) })
  return new TracerProvider({ resource, sampler: samplerOf(sampler), spanProcessors: [processor] })
}

/** Sends metrics to a collector at a fixed interval. */
export async function meterProvider(
  target: OtlpTarget & { readonly intervalMs: number },
  resource: Resource,
  onDelivery: OnDelivery,
): Promise<MeterProvider> {
  const { OTLPMetricExporter } = await exportersFor(target.protocol)
  const exporter = observed(new OTLPMetricExporter(optionsOf(target)), onDelivery)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: target.intervalMs })
  return new MeterProvider({ resource, readers: [reader] })
}

/** Loads only the protocol in use. */
async function exportersFor(protocol: OtlpProtocol) {
  return protocol === 'http/json' ? await import('./otlp-json.ts') : await import('./otlp-protobuf.ts')
}

function optionsOf({ url, headers }: OtlpTarget) {
  return { url, headers: { ...headers } }
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

function samplerOf({ name, ratio }: OpenTelemetrySettings['sampler']): Sampler {
  const [, parentBased, kind] = /^(parentbased_)?(.*)$/.exec(name) ?? []
  const root =
    kind === 'always_off'
      ? new AlwaysOffSampler()
      : kind === 'traceidratio'
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler()
  return parentBased ? new ParentBasedSampler({ root }) : root
}
