import { testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { expect, test } from 'vitest'

/** The agent without the packages for more that it names. */
const { observe: _o, moreTools: _m, ...bare } = agent

test('it starts, answers and closes', async () => {
  const { run, lines, close } = await testService(bare)
  expect(await run('What is 15% of 240?')).toMatchObject({ status: 'success', output: '15% of 240 = 36' })
  await close()
  expect(lines.map(({ msg }) => msg)).toEqual(['run'])
})

const OTEL = 'observe: [openTelemetry()] from @agent-task-service/observe'
const packages: [variable: string, value: string, add: string][] = [
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318', OTEL],
  ['OTEL_METRICS_EXPORTER', 'otlp', OTEL],
  ['MCP_CONFIG', '/no/such/mcp.json', 'moreTools: [mcp()] from @agent-task-service/mcp'],
]

test.each(packages)('%s=%s: it starts, and one line says what to add', async (name, value, add) => {
  const { lines } = await testService(bare, { env: { [name]: value } })
  const msg = `${name} is not read: src/agent.ts names no package for it; add ${add}`
  expect(lines).toEqual([expect.objectContaining({ level: 'warn', msg })])
  expect((await testService(bare, { env: { [name]: ' ' } })).lines).toEqual([])
})

test.each<Record<string, string>>([
  { OTEL_TRACES_EXPORTER: 'none', OTEL_SERVICE_NAME: 'mine' },
  { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
  { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' },
])('%j, which asks for nothing: no line', async env => {
  expect((await testService(bare, { env })).lines).toEqual([])
})
