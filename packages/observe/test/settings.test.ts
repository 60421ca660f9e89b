import type { Variables } from '@agent-task-service/test-support/problems'
import { readConfig } from '@agent-task-service/test-support/read-config'
import { expect, test } from 'vitest'
import { type OpenTelemetrySettings, urlFor } from '../settings.ts'

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

const urlsOf = (variables: Variables) => {
  const settings = readConfig(variables).observe[0]?.settings as OpenTelemetrySettings
  return [urlFor('TRACES', settings), urlFor('METRICS', settings)]
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

test('there is one protocol for traces and metrics', () => {
  const { notRead } = readConfig({ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' })
  const instead = 'set OTEL_EXPORTER_OTLP_PROTOCOL, for traces and metrics'
  expect(notRead).toEqual([{ name: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', instead }])
})

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
      '2',
      '3',
    ]),
  )
})
