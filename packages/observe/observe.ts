import type { Observability } from '@agent-task-service/engine/observe'
import { type OpenTelemetrySettings, urlFor, variables } from './settings.ts'

/** There is one protocol for both signals. */
const ONE = 'set OTEL_EXPORTER_OTLP_PROTOCOL, for traces and metrics'

/**
 * Traces and metrics by OpenTelemetry, if the environment names a collector.
 *
 * @example
 * defineAgent({ …, observe: [openTelemetry()] })
 */
export function openTelemetry(): Observability<typeof variables, OpenTelemetrySettings> {
  return {
    variables,
    backend: 'opentelemetry',
    notRead: { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: ONE, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: ONE },
    async start(settings, host) {
      if (!(urlFor('TRACES', settings) ?? urlFor('METRICS', settings))) return undefined
      const { startOpenTelemetry } = await import('./open-telemetry.ts')
      return await startOpenTelemetry(settings, host)
    },
  }
}
