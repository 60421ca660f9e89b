/** The variables of OpenTelemetry, under its own names. */
import {
  expectedOf,
  flag,
  freeText,
  httpUrl,
  number,
  oneOf,
  secret,
  splitList,
  wholeNumber,
} from '@agent-task-service/engine/settings'
import { z } from 'zod'

const PROTOCOLS = ['http/protobuf', 'http/json'] as const
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const exporter = oneOf(['otlp', 'none'])
const PAIRS = 'comma-separated key=value pairs'
const attributes = pairs(/^(?:[^=%]|%[\da-f]{2})+=(?:[^=%]|%[\da-f]{2})*$/i, expectedOf(PAIRS))
/** OpenTelemetry's packages would read them too, but from the environment alone. */
const headerPairs = pairs(
  /^[\w!#$&'*+.^`|~-]+\s*=(?:[ -$&-:<-~]|%[2-7][\da-f])+$/i,
  `expected HTTP headers as ${PAIRS}, percent-encoded, got something else (not shown)`,
).transform(headersIn)
/** The values, and their words, such as the token of `Bearer <token>`. */
const secretHeaders = () =>
  secret(headerPairs, text => [
    text,
    ...Object.values(headersIn(text)).flatMap(value => [value, ...value.split(/\s+/)]),
  ])

function headersIn(text: string): Readonly<Record<string, string>> {
  const headers = splitList(text).map(pair => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1)).trim()]
  })
  return Object.fromEntries(headers)
}

/** Of resource attributes, OpenTelemetry's packages read the variable themselves. */
function pairs(shape: RegExp, error: string | ReturnType<typeof expectedOf>) {
  return z.string().refine(text => splitList(text).every(pair => shape.test(pair)), { error })
}

export const openTelemetryVariables = z.object({
  OTEL_SDK_DISABLED: flag.default(false).describe('`true`: no OpenTelemetry, whatever else is set'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('Collector for traces and metrics, without `/v1/traces` and `/v1/metrics`'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional().describe('Where traces go; used unchanged'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: httpUrl.optional().describe('Where metrics go; used unchanged'),
  OTEL_TRACES_EXPORTER: exporter
    .optional()
    .describe('`none`: no traces; `otlp`: traces, to `http://localhost:4318` if no endpoint is set'),
  OTEL_METRICS_EXPORTER: exporter.optional().describe('The same for metrics'),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(PROTOCOLS)
    .default('http/protobuf')
    .describe('`http/protobuf` or `http/json`; gRPC is not supported'),
  OTEL_EXPORTER_OTLP_HEADERS: secretHeaders()
    .optional()
    .describe('Headers for the collector, as `key=value,key=value`'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secretHeaders().optional().describe('More headers, for traces'),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: secretHeaders().optional().describe('More headers, for metrics'),
  OTEL_SERVICE_NAME: freeText
    .optional()
    .describe('`service.name`; unset: the one in the resource attributes, else `agent-task-service`'),
  OTEL_RESOURCE_ATTRIBUTES: attributes
    .optional()
    .describe('More attributes of this service, as `key=value,key=value`'),
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS)
    .default('parentbased_always_on')
    .describe(`Which traces are kept: ${SAMPLERS.map(name => `\`${name}\``).join(', ')}`),
  OTEL_TRACES_SAMPLER_ARG: number(0, 1)
    .default(1)
    .describe('Share of traces that the `traceidratio` samplers keep, 0 to 1'),
  OTEL_METRIC_EXPORT_INTERVAL: wholeNumber(1)
    .default(60_000)
    .describe('Time between two deliveries of metrics, in milliseconds'),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: flag
    .default(false)
    .describe('`true`: spans record prompts, answers, and the arguments and results of tools'),
})

export type OpenTelemetrySettings = z.output<typeof openTelemetryVariables>

/** Where a signal goes, by the specification of the OTLP exporters; `undefined` if nowhere. */
export function urlFor(signal: 'TRACES' | 'METRICS', settings: OpenTelemetrySettings): string | undefined {
  const own = settings[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]
  const common = settings.OTEL_EXPORTER_OTLP_ENDPOINT
  const exporter = settings[`OTEL_${signal}_EXPORTER`]
  if (settings.OTEL_SDK_DISABLED || exporter === 'none') return undefined
  if (!(own ?? common ?? exporter)) return undefined
  return own ?? `${(common ?? 'http://localhost:4318').replace(/\/$/, '')}/v1/${signal.toLowerCase()}`
}
