/** Loaded only if telemetry is sent as protobuf. */
export { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
export { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
