import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { accepts, startBackend } from '@agent-task-service/test-support/backend'
import { startCollector } from '@agent-task-service/test-support/collector'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { expect, onTestFinished, test } from 'vitest'

const done = () => ({ models: [new ScriptedModel(() => 'Done.').named()] })

// EVIDENCE-OF docs/configuration.md: | `OTEL_EXPORTER_OTLP_ENDPOINT` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_EXPORTER_OTLP_PROTOCOL` |
test('protobuf, the default: spans and metrics', async () => {
  const backend = await startBackend()
  const service = await testService({ OTEL_EXPORTER_OTLP_ENDPOINT: `${backend.url}/` }, done())
  await service.run('Go.')
  await service.close()
  const bodyOf = (path: string) => {
    const [request, ...others] = backend.requests.filter(each => each.path === path)
    expect(others).toEqual([])
    expect(request?.headers).toMatchObject({ 'content-type': 'application/x-protobuf' })
    return request?.body.toString() ?? ''
  }
  // The exporter's encoding is its own business; texts stand in it as they are.
  const spans = ['POST /run', 'chat scripted', 'invoke_agent Agent Task Service']
  for (const text of [...spans, 'gen_ai.operation.name']) expect(bodyOf('/v1/traces')).toContain(text)
  for (const name of [
    'gen_ai.client.inference.operation.input_tokens',
    'http.server.request.duration',
    'agent.runs',
  ])
    expect(bodyOf('/v1/metrics')).toContain(name)
})

test('headers, from a file too: those of both signals, and more of one', async () => {
  const backend = await startBackend()
  const folder = await mkdtemp(join(tmpdir(), 'headers-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'headers'), 'authorization=Bearer%20of-both,x-scope=all\n')
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: backend.url,
    OTEL_EXPORTER_OTLP_HEADERS_FILE: join(folder, 'headers'),
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-scope=traces',
  }
  const service = await testService(env, done())
  await service.run('Go.')
  await service.close()
  const headers = backend.requests.map(({ path, headers }) => [
    path,
    headers.authorization,
    headers['x-scope'],
  ])
  expect(headers.sort()).toEqual([
    ['/v1/metrics', 'Bearer of-both', 'all'],
    ['/v1/traces', 'Bearer of-both', 'traces'],
  ])
})

// EVIDENCE-OF docs/configuration.md: | `OTEL_TRACES_EXPORTER` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_METRICS_EXPORTER` |
test.each([
  ['OTEL_TRACES_EXPORTER', '/v1/metrics'],
  ['OTEL_METRICS_EXPORTER', '/v1/traces'],
])('%s=none: only the other signal', async (name, path) => {
  const collector = await startCollector()
  const service = await testService({ ...collector.env, [name]: 'none' }, done())
  await service.run('Go.')
  await service.close()
  expect(collector.requests.map(request => request.path)).toEqual([path])
  const line = service.lines.find(({ msg }) => msg === 'run')
  expect(line !== undefined && 'trace_id' in line).toBe(name === 'OTEL_METRICS_EXPORTER')
})

// EVIDENCE-OF docs/configuration.md [OTEL_SDK_DISABLED=true: no traffic, and nothing in the log]: | `OTEL_SDK_DISABLED` |
test.each([
  ['nothing is set', {}],
  ['OTEL_SDK_DISABLED=true', { OTEL_SDK_DISABLED: 'true' }],
  ['both exporters are none', { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
])('%s: no traffic, and nothing in the log', async (what, env) => {
  const collector = await startCollector()
  const service = await testService({ ...(what === 'nothing is set' ? {} : collector.env), ...env }, done())
  await service.run('Go.')
  await service.close()
  expect(collector.requests).toEqual([])
  expect(service.lines.find(({ msg }) => msg === 'run')).not.toHaveProperty('trace_id')
})

test.each<[string, Parameters<typeof startCollector>[0]]>([
  ['does not answer', () => {}],
  ['cuts the connection', response => response.socket?.destroy()],
  ['answers nonsense', response => response.writeHead(200).end('<html>')],
])('a collector that %s affects neither runs nor the shutdown', async (_what, answer) => {
  const collector = await startCollector(answer)
  const service = await testService({ ...collector.env, OTEL_METRIC_EXPORT_INTERVAL: '10' }, done())
  for (let n = 0; n < 5; n += 1) expect(await service.run('Go.')).toMatchObject({ status: 'success' })
  await collector.received(1)
  await service.close(100)
})

// EVIDENCE-OF docs/configuration.md: | `OTEL_METRIC_EXPORT_INTERVAL` |
test('logs once that nothing is delivered, and once that it is again', async () => {
  let isDown = true
  const collector = await startCollector(response => {
    if (isDown) response.writeHead(401).end('who are you')
    else accepts(response)
  })
  const env = { ...collector.env, OTEL_TRACES_EXPORTER: 'none', OTEL_METRIC_EXPORT_INTERVAL: '10' }
  const service = await testService(env, done())
  await service.run('Go.')
  await collector.received(3)
  const about = () => service.lines.filter(({ backend }) => backend === 'opentelemetry')
  await until(() => about().length > 0)
  const err = { name: 'OTLPExporterError', status: 401 }
  expect(about()).toMatchObject([{ level: 'warn', msg: 'telemetry is not delivered', err }])
  isDown = false
  await until(() => about().length > 1)
  await service.close()
  expect(about()[1]).toMatchObject({ level: 'info', msg: 'telemetry is delivered again' })
  expect(JSON.stringify(service.lines)).not.toContain('who are you')
})

test('bounds what waits for a collector, and drops the rest', async () => {
  const CALLS = 500
  const gate = Promise.withResolvers<void>()
  const collector = await startCollector(async response => {
    await gate.promise
    accepts(response)
  })
  const asks = { toolCalls: Array.from({ length: CALLS }, () => ({ name: 'quick' })) }
  const model = new ScriptedModel([asks, 'Done.', asks, 'Done.'])
  const service = await testService(
    { ...collector.env, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true', MAX_STEPS: '1000' },
    { models: [model.named()], tools: [tool('quick', () => 'ok')] },
  )
  for (const id of ['test-1', 'test-2'])
    expect(await service.run('Go.', undefined, id)).toMatchObject({ metrics: { steps: CALLS + 2 } })
  gate.resolve()
  await service.close()
  // 512 of 1,000 wait, and a batch of 64 is being sent: more if a first one was not full yet, or one was given up.
  expect(collector.spans.length).toBeGreaterThanOrEqual(512)
  expect(collector.spans.length).toBeLessThanOrEqual(512 + 5 * 64)
  expect(collector.metric('agent.runs')).toMatchObject([{ sum: 2 }])
})
