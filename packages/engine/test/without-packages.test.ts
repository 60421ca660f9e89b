import { SetupError } from '@agent-task-service/engine/config'
import { MemoryLedger, type Share } from '@agent-task-service/engine/share'
import { testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** The agent without the packages for more that it names. */
const { share: _s, observe: _o, moreTools: _m, ...bare } = agent

test('it starts, answers and closes', async () => {
  const { run, lines, close } = await testService(bare)
  expect(await run('What is 15% of 240?')).toMatchObject({ status: 'success', output: '15% of 240 = 36' })
  await close()
  expect(lines.map(({ msg }) => msg)).toEqual(['run'])
})

const SHARE = 'share: redis() from @agent-task-service/share'
const OTEL = 'observe: [openTelemetry()] from @agent-task-service/observe'
const packages: [variable: string, value: string, add: string][] = [
  ['REDIS_REPLICAS', '1', SHARE],
  ['JOURNAL', 'off', SHARE],
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

// EVIDENCE-OF docs/guides/deployment.md: Without that, it does not start with `REDIS_URL`, since replicas that share nothing may
//   repeat a side effect.
test('with REDIS_URL it does not start: its replicas would repeat side effects', async () => {
  const starting = testService(bare, { env: { REDIS_URL: 'redis://:hunter-of-ours@host' } })
  await expect(starting).rejects.toBeInstanceOf(SetupError)
  await expect(starting).rejects.toThrow(
    'REDIS_URL: expected share: redis() of @agent-task-service/share in src/agent.ts, since without it replicas share no tasks',
  )
  await expect(starting).rejects.not.toThrow('hunter-of-ours')
})

test('all that is wrong is named together with it', async () => {
  const env = { REDIS_URL: 'redis://host', LOG_LEVEL: 'loud' }
  await expect(testService(bare, { env })).rejects.toThrow(/LOG_LEVEL: expected one of.*\n {2}REDIS_URL: /)
})

test("another package's store may take the place of Redis", async () => {
  const variables = z.object({ STORE_URL: z.string().optional() })
  const opened: unknown[] = []
  const share: Share<typeof variables> = {
    variables,
    async open({ STORE_URL }, { agent, replayTtlMs }) {
      opened.push([STORE_URL, agent.id, agent.digest().length])
      return new MemoryLedger(replayTtlMs)
    },
  }
  const env = { STORE_URL: ' store://host ', REDIS_URL: 'redis://host' }
  const { post, lines } = await testService({ ...bare, share }, { env })
  expect(opened).toEqual([['store://host', 'agent-1', 43]])
  expect(lines.map(({ msg }) => msg)).toEqual([expect.stringMatching(/^REDIS_URL is not read: /)])
  const task = { task_id: '0d6d8a1e-5f5c-4b8e-9a3b-1f7d6c2b4a90', input: 'What is 15% of 240?' }
  const [first, again] = [await post(task), await post(task)]
  expect(await again.json()).toEqual(await first.json())
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})
