import type { Observability } from '@agent-task-service/engine/observe'
import { type OpenTelemetrySettings, openTelemetryVariables, urlFor } from './settings.ts'

/** There is one protocol for both signals. */
const ONE = 'set OTEL_EXPORTER_OTLP_PROTOCOL, for traces and metrics'

/**
 * Traces and metrics by OpenTelemetry, if the environment names a collector.
 *
 * @example
 * defineAgent({ …, observe: [openTelemetry()] })
 */
export function openTelemetry(): Observability<typeof openTelemetryVariables, OpenTelemetrySettings> {
  return {
    variables: openTelemetryVariables,
    backend: 'opentelemetry',
    notRead: { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: ONE, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: ONE },
    // As OpenTelemetry's specification says, since they may be meant for other programs. But what is exported goes where it should.
    ignores: (name, given) => !/_(ENDPOINT|HEADERS)$/.test(name) || !asksForExport(given),
    async start(settings, host) {
      if (!(urlFor('TRACES', settings) ?? urlFor('METRICS', settings))) return undefined
      const { startOpenTelemetry } = await import('./open-telemetry.ts')
      return await startOpenTelemetry(settings, host)
    },
  }
}

function asksForExport(given: Readonly<Record<string, string>>): boolean {
  const asks = Object.keys(given).some(
    name => /_ENDPOINT$/.test(name) && name in openTelemetryVariables.shape,
  )
  const isNamed = [given.OTEL_TRACES_EXPORTER, given.OTEL_METRICS_EXPORTER].includes('otlp')
  return (asks || isNamed) && given.OTEL_SDK_DISABLED?.toLowerCase() !== 'true'
}
