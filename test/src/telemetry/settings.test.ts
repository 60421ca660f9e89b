import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configTable } from '../../../scripts/config-table.ts'
import { ConfigError, readConfig } from '../../../src/config.ts'
import { telemetryVariables, urlFor } from '../../../src/telemetry/settings.ts'

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

test.for(names)('%s: blank is absent', name => {
  expect(readConfig({ [name]: ' \n' })).toEqual(readConfig({}))
})

const urlsOf = (variables: Variables) => {
  const { telemetry } = readConfig(variables)
  return [urlFor('TRACES', telemetry), urlFor('METRICS', telemetry)]
}

test.each<[variables: Variables, traces: string | undefined, metrics: string | undefined]>([
  [COLLECTOR, 'http://collector:4318/v1/traces', 'http://collector:4318/v1/metrics'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://host/otlp/' },
    'https://host/otlp/v1/traces',
    'https://host/otlp/v1/metrics',
  ],
  [
    { ...COLLECTOR, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:1/a' },
    'http://traces:1/a',
    'http://collector:4318/v1/metrics',
  ],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://metrics:2/b' }, undefined, 'http://metrics:2/b'],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces', undefined],
  [{ ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }, undefined, undefined],
  [{ ...COLLECTOR, OTEL_SDK_DISABLED: 'True' }, undefined, undefined],
  [{ OTEL_SERVICE_NAME: 'agent', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }, undefined, undefined],
])('%j: where traces and metrics go', (variables, traces, metrics) => {
  expect(urlsOf(variables)).toEqual([traces, metrics])
})

test('the values of headers are secrets', () => {
  const { secrets } = readConfig({
    LANGSMITH_API_KEY: 'lsv2_pt_key',
    OTEL_EXPORTER_OTLP_HEADERS: ' authorization = Bearer%20abcdefgh , x-a=1==',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-a=2,',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-a=%33',
  })
  expect(new Set(secrets)).toEqual(
    new Set(['lsv2_pt_key', 'Bearer abcdefgh', 'Bearer', 'abcdefgh', '1==', '2', '3']),
  )
})

test("a disabled SDK's variables may have values that another language's understands", () => {
  const variables = { ...COLLECTOR, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_EXPORTER: 'console' }
  expect(problemsOf(variables)).toHaveLength(2)
  expect(problemsOf({ ...variables, OTEL_SDK_DISABLED: 'true' })).toEqual([])
})

test.each(['LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING_V2', 'LANGCHAIN_TRACING'])(
  '%s, by which LangChain would trace unmasked, stops the start',
  name => {
    expect(problemsOf({ [name]: 'true' })).toEqual([`${name}: expected LANGSMITH_TRACING in its place`])
    expect(problemsOf({ [name]: 'false', LANGCHAIN_PROJECT: 'p' })).toEqual([])
  },
)

const NOT_SHOWN = 'got something else (not shown)'
const HEADERS = `expected HTTP headers as comma-separated key=value pairs, percent-encoded, ${NOT_SHOWN}`
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
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    ['collector:4318', URL_],
    ['http://user:pass@collector', URL_],
  ],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: [['grpc://collector', URL_]],
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: [['/v1/metrics', URL_]],
  OTEL_TRACES_EXPORTER: [['zipkin', 'expected one of otlp, none, got "zipkin"']],
  OTEL_METRICS_EXPORTER: [['console', 'expected one of otlp, none, got "console"']],
  OTEL_EXPORTER_OTLP_PROTOCOL: [['grpc', `${PROTOCOLS}, got "grpc"`]],
  OTEL_EXPORTER_OTLP_HEADERS: [
    ['authorization: Bearer hunter2', HEADERS],
    ['authorization=a%0d%0ab', HEADERS],
    ['a b=c', HEADERS],
    ['a=%zz', HEADERS],
    ['a=', HEADERS],
    ['authorization=Bearer a;b', HEADERS],
  ],
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: [['hunter2', HEADERS]],
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: [['=hunter2', HEADERS]],
  OTEL_RESOURCE_ATTRIBUTES: [
    ['production', `${PAIRS}, got "production"`],
    ['a=%', `${PAIRS}, got "a=%"`],
    ['a=b=c', `${PAIRS}, got "a=b=c"`],
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
