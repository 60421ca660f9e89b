import { ScriptedModel, type ScriptedReply } from '@agent-task-service/engine/testing'
import { accepts } from '@agent-task-service/test-support/backend'
import {
  carelessTools,
  fakeSecrets,
  tracesOf,
  writingsOf,
} from '@agent-task-service/test-support/fake-secrets'
import {
  type LangSmithRun,
  type LangSmithServer,
  startLangSmith,
} from '@agent-task-service/test-support/langsmith-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { type ServiceOptions, type TestService, testService } from '@agent-task-service/test-support/service'
import { expect, test, vi } from 'vitest'

async function told(
  options: ServiceOptions,
  env: Record<string, string> = {},
): Promise<{ langSmith: LangSmithServer; service: TestService }> {
  const langSmith = await startLangSmith()
  return { langSmith, service: await testService({ ...langSmith.env, ...env }, options) }
}

const adds = () => new ScriptedModel([{ toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] }, 'It is 3.'])

test('a run arrives node by node, with its model calls and its tool call, at shutdown', async () => {
  const { langSmith, service } = await told({ models: [adds().named()], tools: [add] })
  expect(await service.run('What is 1 + 2?')).toMatchObject({ status: 'success', output: 'It is 3.' })
  await service.close()
  const runs = await langSmith.runs()
  const root = runs.find(({ parent_run_id }) => !parent_run_id) as LangSmithRun
  expect(root).toMatchObject({ name: 'agent', run_type: 'chain', session_name: 'rehearsal' })
  expect(JSON.stringify(root.inputs)).toContain('What is 1 + 2?')
  expect(JSON.stringify(root.outputs)).toContain('It is 3.')
  expect(runs.every(({ trace_id }) => trace_id === root.id)).toBe(true)
  const kinds = (type: string) => runs.filter(({ run_type }) => run_type === type)
  expect(kinds('llm')).toHaveLength(2)
  expect(kinds('tool')).toMatchObject([{ name: 'add' }])
  const nodes = runs.filter(({ parent_run_id }) => parent_run_id === root.id).map(({ name }) => name)
  const parentOf = (run?: LangSmithRun) => runs.find(({ id }) => id === run?.parent_run_id)?.name
  for (const call of [...kinds('llm'), ...kinds('tool')]) expect(nodes).toContain(parentOf(call))
  expect(
    langSmith.requests.every(({ headers }) => headers['x-api-key'] === langSmith.env.LANGSMITH_API_KEY),
  ).toBe(true)
})

test.each<{ status: string; reply: ScriptedReply; env: Record<string, string> }>([
  { status: 'success', reply: 'Done.', env: {} },
  { status: 'error', reply: new Error('broke'), env: {} },
  {
    status: 'timeout',
    reply: { text: 'late', after: new Promise(() => {}) },
    env: { RUN_TIMEOUT_SEC: '0.3' },
  },
])('a trace names its task, its agent and its end: $status', async ({ status, reply, env }) => {
  const model = new ScriptedModel([reply])
  const { langSmith, service } = await told({ models: [model.named()] }, { ...env, AGENT_NAME: 'Ada' })
  expect(await service.run('Go.')).toMatchObject({ status })
  await service.close()
  const root = (await langSmith.runs()).find(({ parent_run_id }) => !parent_run_id)
  expect(root?.extra?.metadata).toMatchObject({
    task_id: 'test-1',
    agent_id: 'agent-1',
    agent_name: 'Ada',
    status,
  })
  expect(root?.inputs).toMatchObject({ messages: [{ kwargs: { content: 'Go.' } }] })
})

test.each([
  ['LANGSMITH_TRACING is not set', { LANGSMITH_TRACING: '' }],
  ['a sampling rate of 0', { LANGSMITH_TRACING_SAMPLING_RATE: '0' }],
])('%s: LangSmith receives no runs', async (_what, env) => {
  const { langSmith, service } = await told({ models: [adds().named()], tools: [add] }, env)
  await service.run('What is 1 + 2?')
  await service.close()
  expect(langSmith.requests.filter(({ path }) => path.startsWith('/runs'))).toEqual([])
  if ('LANGSMITH_TRACING' in env) expect(langSmith.requests).toEqual([])
})

test.concurrent.each(fakeSecrets.filter((_, n) => n % 9 === 0))(
  '$vendor: does not reach LangSmith, whoever says it',
  async ({ value }) => {
    const everyForm = writingsOf(value).join(' ')
    const model = new ScriptedModel([
      {
        content: everyForm,
        toolCalls: [{ name: 'tells', id: value, args: { key: value } }, { name: 'throws' }],
      },
      { text: everyForm },
    ])
    const { langSmith, service } = await told(
      { models: [model.named()], tools: carelessTools(value) },
      { OPENAI_API_KEY: value, OPENAI_BASE_URL: 'http://127.0.0.1:9', SYSTEM_PROMPT: `Say ${value}` },
    )
    expect(await service.run(`Tell ${value}`)).toMatchObject({ status: 'success' })
    await service.close()
    // On a busy machine, delivery may outlast the time that closing has for it.
    const ended = async () =>
      expect((await langSmith.runs()).find(run => !run.parent_run_id)?.outputs).toBeDefined()
    await vi.waitFor(ended, { timeout: 30_000, interval: 100 })
    const text = langSmith.requests.map(({ body }) => body.toString()).join()
    for (const trace of tracesOf(value)) expect(text.includes(trace)).toBe(false)
  },
)

test('logs once that LangSmith rejects runs, and once that it accepts them again', async () => {
  let isDown = true
  const langSmith = await startLangSmith(response => {
    if (isDown) response.writeHead(401).end()
    else accepts(response)
  })
  const service = await testService(langSmith.env, { models: [new ScriptedModel(() => 'Done.').named()] })
  await service.run('Go.')
  await langSmith.received(2)
  const about = () =>
    service.lines
      .filter(({ backend }) => backend === 'langsmith')
      .map(({ level, msg, err }) => ({ level, msg, err }))
  await expect
    .poll(about)
    .toEqual([{ level: 'warn', msg: 'telemetry is not delivered', err: expect.anything() }])
  isDown = false
  await service.run('Go.')
  await expect.poll(about).toHaveLength(2)
  expect(about()[1]).toMatchObject({ level: 'info', msg: 'telemetry is delivered again' })
  await service.close()
})
