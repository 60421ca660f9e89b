import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configTable } from '../../../scripts/config-table.ts'
import { ConfigError, readConfig } from '../../../src/config.ts'
import * as semconv from '../../../src/telemetry/semconv.ts'
import { telemetryVariables } from '../../../src/telemetry/settings.ts'

type Variables = Record<string, string>

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
const names = Object.keys(telemetryVariables.shape)
const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

function problemsOf(variables: Variables): string[] {
  try {
    readConfig(variables)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
      .split('\n')
      .slice(1)
      .map(line => line.trim())
  }
  return []
}

const telemetryOf = (variables: Variables) => readConfig(variables).telemetry

test.for(names)('%s: blank is absent', name => {
  expect(readConfig({ [name]: ' \n' })).toEqual(readConfig({}))
})

test('one endpoint is enough for both signals, as specified', () => {
  const target = { headers: {}, protocol: 'http/protobuf' }
  expect(telemetryOf(COLLECTOR)).toEqual({
    openTelemetry: {
      traces: { ...target, url: 'http://collector:4318/v1/traces' },
      metrics: { ...target, url: 'http://collector:4318/v1/metrics', intervalMs: 60_000 },
      sampler: { name: 'parentbased_always_on', ratio: 1 },
      resource: { 'service.name': 'agent-task-service' },
      captureContent: false,
    },
  })
  const { openTelemetry } = telemetryOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://host/otlp/' })
  expect(openTelemetry?.traces?.url).toBe('https://host/otlp/v1/traces')
})

test('everything set', () => {
  const { telemetry, secrets } = readConfig({
    LANGSMITH_TRACING: 'TRUE',
    LANGSMITH_API_KEY: 'lsv2_pt_key',
    LANGSMITH_ENDPOINT: 'https://eu.api.smith.langchain.com',
    LANGSMITH_PROJECT: 'my project',
    LANGSMITH_TRACING_SAMPLING_RATE: '0.25',
    OTEL_SDK_DISABLED: 'false',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:1/a',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://metrics:2/b',
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: ' authorization = Bearer%20abcdefgh , x-a=1==',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-a=2',
    OTEL_SERVICE_NAME: 'my-agent',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=a%2Cb',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  })
  expect(telemetry).toEqual({
    langSmith: {
      apiKey: 'lsv2_pt_key',
      endpoint: 'https://eu.api.smith.langchain.com',
      project: 'my project',
      samplingRate: 0.25,
    },
    openTelemetry: {
      traces: {
        url: 'http://traces:1/a',
        headers: { authorization: 'Bearer abcdefgh', 'x-a': '2' },
        protocol: 'http/json',
      },
      metrics: {
        url: 'http://metrics:2/b',
        headers: { authorization: 'Bearer abcdefgh', 'x-a': '1==' },
        protocol: 'http/protobuf',
        intervalMs: 1000,
      },
      sampler: { name: 'traceidratio', ratio: 0.5 },
      resource: { 'service.name': 'my-agent', 'deployment.environment.name': 'a,b' },
      captureContent: true,
    },
  })
  expect(secrets).toEqual(expect.arrayContaining(['lsv2_pt_key', 'Bearer abcdefgh', 'abcdefgh']))
})

test('otlp without an endpoint means a collector on this machine', () => {
  expect(telemetryOf({ OTEL_TRACES_EXPORTER: 'otlp' }).openTelemetry).toMatchObject({
    traces: { url: 'http://localhost:4318/v1/traces' },
    metrics: undefined,
  })
})

test.each<Variables>([
  { ...COLLECTOR, OTEL_SDK_DISABLED: 'True' },
  { ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
  { OTEL_SERVICE_NAME: 'agent', OTEL_EXPORTER_OTLP_HEADERS: 'a=b', OTEL_TRACES_SAMPLER: 'always_on' },
  { LANGSMITH_API_KEY: 'key', LANGSMITH_PROJECT: 'p', LANGSMITH_TRACING: 'false' },
])('%j: nothing starts', variables => {
  expect(telemetryOf(variables)).toEqual({})
})

test("a disabled signal may have a value that another language's SDK understands", () => {
  const variables = { ...COLLECTOR, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_EXPORTER: 'console' }
  expect(problemsOf(variables)).toHaveLength(2)
  expect(problemsOf({ ...variables, OTEL_SDK_DISABLED: 'true' })).toEqual([])
})

test.each([
  ['LANGSMITH_TRACING_V2', 'LANGCHAIN_API_KEY'],
  ['LANGCHAIN_TRACING_V2', 'LANGSMITH_API_KEY'],
])("obeys LangChain's earlier names: %s, %s", (tracing, key) => {
  const variables = { [tracing]: 'true', [key]: 'lsv2_pt_key', LANGCHAIN_PROJECT: 'earlier' }
  const { telemetry, secrets } = readConfig(variables)
  expect(telemetry.langSmith).toMatchObject({ apiKey: 'lsv2_pt_key', project: 'earlier' })
  expect(secrets).toContain('lsv2_pt_key')
  expect(telemetryOf({ ...variables, LANGSMITH_TRACING: 'false' }).langSmith).toBeDefined()
  expect(problemsOf({ [tracing]: 'yes' })).toEqual([`${tracing}: expected true or false, got "yes"`])
})

const NOT_SHOWN = 'got something else (not shown)'
const HEADERS = `expected HTTP headers as comma-separated key=value pairs, ${NOT_SHOWN}`
const URL_ = `expected an http(s) URL without credentials, ${NOT_SHOWN}`
const PROTOCOLS = 'expected one of http/protobuf, http/json'
const PAIRS = 'expected comma-separated key=value pairs'
const SAMPLERS =
  'expected one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio'

const wrong: Record<string, [value: string, problem: string][]> = {
  LANGSMITH_TRACING: [['1', 'expected true or false, got "1"']],
  LANGSMITH_API_KEY: [['two words', `expected visible ASCII without spaces, ${NOT_SHOWN}`]],
  LANGSMITH_ENDPOINT: [['smith.langchain.com', URL_]],
  LANGSMITH_TRACING_SAMPLING_RATE: [['2', 'expected a number, 0 to 1, got "2"']],
  OTEL_SDK_DISABLED: [['yes', 'expected true or false, got "yes"']],
  OTEL_EXPORTER_OTLP_ENDPOINT: [['collector:4318', URL_]],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: [['grpc://collector', URL_]],
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: [['/v1/metrics', URL_]],
  OTEL_TRACES_EXPORTER: [['zipkin', 'expected one of otlp, none, got "zipkin"']],
  OTEL_METRICS_EXPORTER: [['console', 'expected one of otlp, none, got "console"']],
  OTEL_EXPORTER_OTLP_PROTOCOL: [['grpc', `${PROTOCOLS}, got "grpc"`]],
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: [['grpc', `${PROTOCOLS}, got "grpc"`]],
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: [['http', `${PROTOCOLS}, got "http"`]],
  OTEL_EXPORTER_OTLP_HEADERS: [
    ['authorization: Bearer hunter2', HEADERS],
    ['authorization=a%0d%0ab', HEADERS],
    ['a=%zz', HEADERS],
  ],
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: [['hunter2', HEADERS]],
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: [['=hunter2', HEADERS]],
  OTEL_RESOURCE_ATTRIBUTES: [
    ['production', `${PAIRS}, got "production"`],
    ['a=%', `${PAIRS}, got "a=%"`],
  ],
  OTEL_TRACES_SAMPLER: [['xray', `${SAMPLERS}, got "xray"`]],
  OTEL_TRACES_SAMPLER_ARG: [['1%', 'expected a number, 0 to 1, got "1%"']],
  OTEL_METRIC_EXPORT_INTERVAL: [['60s', 'expected a whole number, 1 or more, got "60s"']],
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: [
    ['SPAN_ONLY', 'expected true or false, got "SPAN_ONLY"'],
  ],
}
const FREE = ['LANGSMITH_PROJECT', 'OTEL_SERVICE_NAME']

test('every variable is either free text or has wrong values here', () => {
  expect([...Object.keys(wrong), ...FREE].sort()).toEqual([...names].sort())
})

test.for(
  Object.entries(wrong).flatMap(([name, rows]) =>
    rows.map(([value, problem]) => [name, value, problem] as const),
  ),
)('refuses %s=%j', ([name, value, problem]) => {
  expect(problemsOf({ [name]: value })).toEqual([`${name}: ${problem}`])
})

test('LangSmith without a key, unless it is your own server', () => {
  expect(problemsOf({ LANGSMITH_TRACING: 'true' })).toEqual([
    'LANGSMITH_API_KEY: expected a value, since LANGSMITH_TRACING is true; got nothing',
  ])
  expect(problemsOf({ LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: 'http://localhost:1984' })).toEqual([])
})

test("docs/tracing.md's table matches the schema: npm run docs", () => {
  expect(read('docs/tracing.md')).toContain(configTable(telemetryVariables))
  for (const [name, { description }] of Object.entries(telemetryVariables.shape)) {
    expect(description, name).toBeTruthy()
  }
})

test("the names follow OpenTelemetry's conventions", async () => {
  const conventions = new Set<unknown>(
    Object.values(await import('@opentelemetry/semantic-conventions/incubating')),
  )
  const { GEN_AI, HTTP, SERVER, METRIC, ERROR_TYPE } = semconv
  const ours = [GEN_AI, HTTP, SERVER, METRIC].flatMap(each => Object.values(each))
  expect([...ours, ERROR_TYPE].filter(name => !conventions.has(name))).toEqual([])
})
