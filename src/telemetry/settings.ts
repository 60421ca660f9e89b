/** The tracing variables, under LangSmith's and OpenTelemetry's own names. */
import { z } from 'zod'
import { httpUrl } from '../config/http-url.ts'
import { expectedOf, number, oneOf, secret, wholeNumber } from '../config/setting.ts'
import { resourceAttributes, secretHeaders } from './key-value-pairs.ts'
import type { LangSmithSettings } from './langsmith.ts'

export interface TelemetrySettings {
  /** Absent: nothing is sent to LangSmith. */
  readonly langSmith?: LangSmithSettings | undefined
  /** Absent: OpenTelemetry is not loaded. */
  readonly openTelemetry?: OpenTelemetrySettings | undefined
}

export interface OpenTelemetrySettings {
  readonly traces?: OtlpTarget | undefined
  readonly metrics?: (OtlpTarget & { readonly intervalMs: number }) | undefined
  readonly sampler: { readonly name: SamplerName; readonly ratio: number }
  /** Attributes of the service, `service.name` among them. */
  readonly resource: Readonly<Record<string, string>>
  /** Whether spans record the task, prompts, answers, and the arguments and results of tools. */
  readonly captureContent: boolean
}

export interface OtlpTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: OtlpProtocol
}

export type OtlpProtocol = (typeof PROTOCOLS)[number]
export type SamplerName = (typeof SAMPLERS)[number]

const PROTOCOLS = ['http/protobuf', 'http/json'] as const
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const flag = z
  .string()
  .regex(/^(true|false)$/i, { error: expectedOf('true or false') })
  .transform(text => text.toLowerCase() === 'true')
const exporter = oneOf(['otlp', 'none'])
const protocol = oneOf(PROTOCOLS)

/** In the order of the table in docs/tracing.md. */
export const telemetryVariables = z.object({
  LANGSMITH_TRACING: flag.default(false).describe('`true`: send runs to LangSmith'),
  LANGSMITH_API_KEY: secret.optional().describe('**Secret.** Key for LangSmith'),
  LANGSMITH_ENDPOINT: httpUrl.default('https://api.smith.langchain.com').describe("LangSmith's API"),
  LANGSMITH_PROJECT: z.string().default('default').describe('Project that the runs are filed under'),
  LANGSMITH_TRACING_SAMPLING_RATE: number(0, 1)
    .optional()
    .describe('Share of runs to send, 0 to 1; unset: all'),
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
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol
    .default('http/protobuf')
    .describe('`http/protobuf` or `http/json`; gRPC is not supported'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional().describe('The same, for traces only'),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: protocol.optional().describe('The same, for metrics only'),
  OTEL_EXPORTER_OTLP_HEADERS: secretHeaders
    .optional()
    .describe('**Secret.** Headers for the collector, as `key=value,key=value`'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secretHeaders
    .optional()
    .describe('**Secret.** More headers, for traces'),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: secretHeaders
    .optional()
    .describe('**Secret.** More headers, for metrics'),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe('`service.name`; unset: the one in the resource attributes, else `agent-task-service`'),
  OTEL_RESOURCE_ATTRIBUTES: resourceAttributes
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

type Variables = z.output<typeof telemetryVariables>

/** LangChain's earlier names, which it still reads. */
const EARLIER_NAMES: Readonly<Record<string, readonly string[]>> = {
  LANGSMITH_TRACING: ['LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING_V2', 'LANGCHAIN_TRACING'],
  LANGSMITH_API_KEY: ['LANGCHAIN_API_KEY'],
  LANGSMITH_ENDPOINT: ['LANGCHAIN_ENDPOINT'],
  LANGSMITH_PROJECT: ['LANGCHAIN_PROJECT'],
}

/** Every variable name we read. */
export const telemetryNames = [
  ...Object.keys(telemetryVariables.shape),
  ...Object.values(EARLIER_NAMES).flat(),
]

/** Reads the variables; a blank value counts as absent. `secrets` are the values to scrub. */
export function readTelemetry(given: Readonly<Record<string, string | undefined>>): {
  readonly settings: TelemetrySettings
  readonly secrets: readonly string[]
  readonly problems: readonly string[]
} {
  const { values, names } = gather(given)
  const parsed = telemetryVariables.safeParse(values)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${names[String(path[0])]}: ${message}`)
    return { settings: {}, secrets: [], problems }
  }
  const variables = parsed.data
  const needsKey = variables.LANGSMITH_TRACING && values.LANGSMITH_ENDPOINT === undefined
  const problems =
    needsKey && variables.LANGSMITH_API_KEY === undefined
      ? ['LANGSMITH_API_KEY: expected a value, since LANGSMITH_TRACING is true; got nothing']
      : []
  const settings = { langSmith: langSmithOf(variables), openTelemetry: openTelemetryOf(variables) }
  return { settings, secrets: secretsOf(variables), problems }
}

/** The values that are set, and the name under which each was found. */
function gather(given: Readonly<Record<string, string | undefined>>) {
  const values: Record<string, string> = {}
  const names: Record<string, string> = {}
  const isDisabled = given.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true'
  for (const name of Object.keys(telemetryVariables.shape)) {
    // While the SDK is disabled, values may be meant for another language's SDK.
    if (isDisabled && name.startsWith('OTEL_') && name !== 'OTEL_SDK_DISABLED') continue
    const found = [name, ...(EARLIER_NAMES[name] ?? [])].filter(each => given[each]?.trim())
    // LangChain traces if any of the names says so.
    const chosen =
      found.find(each => name === 'LANGSMITH_TRACING' && given[each]?.trim() === 'true') ?? found[0]
    if (chosen === undefined) continue
    values[name] = given[chosen]?.trim() ?? ''
    names[name] = chosen
  }
  return { values, names }
}

function langSmithOf(variables: Variables): LangSmithSettings | undefined {
  if (!variables.LANGSMITH_TRACING) return undefined
  return {
    apiKey: variables.LANGSMITH_API_KEY,
    endpoint: variables.LANGSMITH_ENDPOINT,
    project: variables.LANGSMITH_PROJECT,
    samplingRate: variables.LANGSMITH_TRACING_SAMPLING_RATE,
  }
}

function openTelemetryOf(variables: Variables): OpenTelemetrySettings | undefined {
  const traces = targetOf(variables, 'TRACES')
  const metrics = targetOf(variables, 'METRICS')
  if (variables.OTEL_SDK_DISABLED || (!traces && !metrics)) return undefined
  const attributes = variables.OTEL_RESOURCE_ATTRIBUTES ?? {}
  const name = variables.OTEL_SERVICE_NAME ?? attributes['service.name'] ?? 'agent-task-service'
  return {
    traces,
    metrics: metrics && { ...metrics, intervalMs: variables.OTEL_METRIC_EXPORT_INTERVAL },
    sampler: { name: variables.OTEL_TRACES_SAMPLER, ratio: variables.OTEL_TRACES_SAMPLER_ARG },
    resource: { ...attributes, 'service.name': name },
    captureContent: variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
  }
}

/** Where a signal goes, by the specification of the OTLP exporters; `undefined` if nowhere. */
function targetOf(variables: Variables, signal: 'TRACES' | 'METRICS'): OtlpTarget | undefined {
  const own = variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]
  const common = variables.OTEL_EXPORTER_OTLP_ENDPOINT
  const exporter = variables[`OTEL_${signal}_EXPORTER`]
  if (exporter === 'none' || !(own ?? common ?? exporter)) return undefined
  return {
    url: own ?? `${(common ?? 'http://localhost:4318').replace(/\/$/, '')}/v1/${signal.toLowerCase()}`,
    headers: {
      ...variables.OTEL_EXPORTER_OTLP_HEADERS,
      ...variables[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`],
    },
    protocol: variables[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ?? variables.OTEL_EXPORTER_OTLP_PROTOCOL,
  }
}

/** Includes the bare token of a header such as `Bearer <token>`. */
function secretsOf(variables: Variables): string[] {
  const headers = [
    variables.OTEL_EXPORTER_OTLP_HEADERS,
    variables.OTEL_EXPORTER_OTLP_TRACES_HEADERS,
    variables.OTEL_EXPORTER_OTLP_METRICS_HEADERS,
  ].flatMap((each = {}) => Object.values(each))
  const { LANGSMITH_API_KEY: key } = variables
  return [...(key === undefined ? [] : [key]), ...headers, ...headers.flatMap(value => value.split(/\s+/))]
}
