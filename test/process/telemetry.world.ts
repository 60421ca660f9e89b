import { startCollector } from '@agent-task-service/test-support/collector'
import { startLangSmith } from '@agent-task-service/test-support/langsmith-server'
import { startProcess } from '@agent-task-service/test-support/process'
import { expect, test } from 'vitest'

const TASK = { task_id: 'test-1', input: 'What is 15% of 240?' }

// With protobuf, beside the permission model: permissions.world.ts.
// EVIDENCE-OF docs/configuration.md: | `OTEL_EXPORTER_OTLP_HEADERS` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_EXPORTER_OTLP_TRACES_HEADERS` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_SERVICE_NAME` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_RESOURCE_ATTRIBUTES` |
test('SIGTERM delivers the last spans, metrics and runs; headers and attributes are read, their secrets masked', async () => {
  const [collector, langSmith] = [await startCollector(), await startLangSmith()]
  const service = await startProcess({
    ...collector.env,
    ...langSmith.env,
    TAVILY_API_KEY: 'hunter2-of-tavily',
    OTEL_SERVICE_NAME: 'my-agent',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,note=hunter2%2Dof%2Dtavily',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-both,x-scope=all',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-scope=traces',
  })
  expect(await (await service.post(TASK)).json()).toMatchObject({ status: 'success' })
  expect(collector.requests).toEqual([])
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  const sent = collector.requests.map(({ path, headers }) => [
    path,
    headers.authorization,
    headers['x-scope'],
  ])
  expect(sent.sort()).toEqual([
    ['/v1/metrics', 'Bearer of-both', 'all'],
    ['/v1/traces', 'Bearer of-both', 'traces'],
  ])
  expect(collector.span('POST /run').attributes['http.response.status_code']).toBe(200)
  const attribute = (key: string, stringValue: string) => JSON.stringify({ key, value: { stringValue } })
  expect(collector.text).toContain(attribute('service.name', 'my-agent'))
  expect(collector.text).toContain(attribute('note', '[redacted]'))
  const runs = await langSmith.runs()
  expect(runs.filter(({ parent_run_id }) => !parent_run_id)).toMatchObject([{ name: 'agent' }])
  expect(runs.filter(({ run_type }) => run_type === 'tool')).toMatchObject([{ name: 'calculator' }])
  expect(service.errors()).toBe('')
  expect(JSON.parse(service.output.at(-1) ?? '').msg).toBe('stopped')
})

test('hanging backends delay neither runs nor the exit, and cause only log lines', async () => {
  const hangs = () => {}
  const [collector, langSmith] = [await startCollector(hangs), await startLangSmith(hangs)]
  const service = await startProcess({
    ...collector.env,
    ...langSmith.env,
    OTEL_METRIC_EXPORT_INTERVAL: '50',
    LANGSMITH_DEBUG: 'true',
  })
  await (await service.post(TASK)).text()
  await Promise.all([collector.received(1), langSmith.received(1)])
  expect(await (await service.post(TASK)).json()).toMatchObject({ status: 'success' })
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  for (const line of service.output) expect(JSON.parse(line)).toHaveProperty('msg')
  expect(service.errors()).toBe('')
})

test.each([401, 404, 429, 503])(
  'a collector that answers %i: the line says so, and not what else it answered',
  async status => {
    const collector = await startCollector(response => response.writeHead(status).end('who are you'))
    const service = await startProcess({
      ...collector.env,
      OTEL_METRIC_EXPORT_INTERVAL: '50',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    })
    await (await service.post(TASK)).text()
    const line = await service.line(({ msg }) => msg === 'telemetry is not delivered')
    expect(line).toMatchObject({ backend: 'opentelemetry', err: { status } })
    expect(service.output.join()).not.toContain('who are you')
  },
)
