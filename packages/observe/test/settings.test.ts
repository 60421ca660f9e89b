import { readConfig, type Variables } from '@agent-task-service/test-support/read-config'
import { expect, test } from 'vitest'
import { type OpenTelemetrySettings, urlFor } from '../settings.ts'

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

const urlsOf = (variables: Variables) => {
  const settings = readConfig(variables).observe[0]?.settings as OpenTelemetrySettings
  return [urlFor('TRACES', settings), urlFor('METRICS', settings)]
}

// EVIDENCE-OF docs/configuration.md: | `OTEL_EXPORTER_OTLP_ENDPOINT` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_SDK_DISABLED` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_TRACES_EXPORTER` |
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

test('there is one protocol for traces and metrics', () => {
  const { notRead } = readConfig({ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' })
  const instead = 'set OTEL_EXPORTER_OTLP_PROTOCOL, for traces and metrics'
  expect(notRead).toEqual([{ name: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', instead }])
})

// EVIDENCE-OF docs/guides/tracing.md: A variable of OpenTelemetry whose value is not valid counts as unset, with a line in the log (`…
//   is not read`), as its specification says: it may be meant for another program.
test.each([
  ['OTEL_TRACES_SAMPLER', 'foo', 'expected one of always_on, always_off'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'expected one of http/protobuf, http/json, got "grpc"'],
  ['OTEL_METRICS_EXPORTER', 'prometheus', 'expected one of otlp, none, got "prometheus"'],
  ['OTEL_TRACES_SAMPLER_ARG', 'http://sampler:5778', 'expected a number, 0 to 1, got "http://sampler:5778"'],
  ['OTEL_METRIC_EXPORT_INTERVAL', 'soon', 'expected a whole number, 1 or more, got "soon"'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=b=c', 'expected comma-separated key=value pairs, got "a=b=c"'],
  ['OTEL_SDK_DISABLED', 'perhaps', 'expected true or false, got "perhaps"'],
])(
  '%s=%s, also of other programs: counts as unset, whether or not anything is exported',
  (name, value, expected) => {
    for (const more of [{}, COLLECTOR]) {
      const { observe, notRead } = readConfig({ ...more, [name]: value })
      expect(observe[0]?.settings).toEqual(readConfig(more).observe[0]?.settings)
      expect(notRead).toEqual([{ name, instead: expect.stringContaining(expected) }])
    }
  },
)

// EVIDENCE-OF docs/guides/tracing.md: But where something is exported, a wrong endpoint or wrong headers stop the start, and so do
//   wrong values for LangSmith.
test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', /OTEL_EXPORTER_OTLP_ENDPOINT: expected/, {}],
  [
    'OTEL_EXPORTER_OTLP_HEADERS',
    'key: hunter2',
    /OTEL_EXPORTER_OTLP_HEADERS: expected HTTP headers/,
    COLLECTOR,
  ],
])(
  '%s=%s, where something is exported, stops the start; else it counts as unset',
  (name, value, problem, asked) => {
    expect(() => readConfig({ ...asked, [name]: value })).toThrow(problem)
    const { notRead } = readConfig({ ...asked, OTEL_SDK_DISABLED: 'true', [name]: value })
    expect(notRead).toMatchObject([{ name }])
    expect(JSON.stringify(notRead)).not.toContain('hunter2')
  },
)

// EVIDENCE-OF docs/configuration.md: | `OTEL_EXPORTER_OTLP_METRICS_HEADERS` |
test('the values of headers are secrets', () => {
  const { secrets } = readConfig({
    LANGSMITH_API_KEY: 'lsv2_pt_key',
    OTEL_EXPORTER_OTLP_HEADERS: ' authorization = Bearer%20abcdefgh , x-a=1==',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-a=2,',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-a=%33',
  })
  expect(new Set(secrets)).toEqual(
    new Set([
      'lsv2_pt_key',
      'authorization = Bearer%20abcdefgh , x-a=1==',
      'Bearer abcdefgh',
      'Bearer',
      'abcdefgh',
      '1==',
      ...['2', 'x-a=2,'],
      ...['3', 'x-a=%33'],
    ]),
  )
})
