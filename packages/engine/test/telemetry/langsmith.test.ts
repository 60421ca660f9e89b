import { ScriptedModel, type ScriptedReply } from '@agent-task-service/engine/testing'
import { accepts } from '@agent-task-service/test-support/backend'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import {
  type LangSmithRun,
  type LangSmithServer,
  startLangSmith,
} from '@agent-task-service/test-support/langsmith-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import {
  type ServiceOptions,
  type TestService,
  testService,
  warmUp,
} from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { RunTree } from 'langsmith'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { langSmithVariables } from '../../config/langsmith.ts'
import { createLangSmith } from '../../telemetry/langsmith.ts'

beforeAll(warmUp)

async function told(
  options: ServiceOptions,
  env: Record<string, string> = {},
): Promise<{ langSmith: LangSmithServer; service: TestService }> {
  const langSmith = await startLangSmith()
  return { langSmith, service: await testService({ ...langSmith.env, ...env }, options) }
}

const adds = () => new ScriptedModel([{ toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] }, 'It is 3.'])

// EVIDENCE-OF docs/configuration.md: | `LANGSMITH_TRACING` |
// EVIDENCE-OF docs/configuration.md: | `LANGSMITH_ENDPOINT` |
// EVIDENCE-OF docs/configuration.md: | `LANGSMITH_PROJECT` |
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

/** Names of the parts in which runs are sent: `post.<id>` or `patch.<id>`, each with its members. */
const partsIn = ({ requests }: LangSmithServer) =>
  requests.flatMap(({ body }) =>
    [...body.toString().matchAll(/name="((?:post|patch)\.[^".]+)"/g)].map(([, name]) => name),
  )

test.each([1, 20])(
  'with %i tool calls, each node and call is sent once, and takes as many run trees as any',
  async calls => {
    // A start waits for its end by the clock, and on a slow machine the end would come too late.
    const time = fakeTime()
    const replies = Array.from({ length: calls }, (_, a) => ({
      toolCalls: [{ name: 'add', args: { a, b: 2 } }],
    }))
    const model = new ScriptedModel([...replies, 'Done.'])
    const { langSmith, service } = await told({ models: [model.named()], tools: [add] }, { MAX_STEPS: '100' })
    // Private, but what the constructor calls first.
    const trees = vi.spyOn(RunTree as unknown as { getDefaultConfig(): object }, 'getDefaultConfig')
    expect(await service.run('Add.')).toMatchObject({ status: 'success' })
    await time.until(service.close())
    const runs = await langSmith.runs()
    expect(partsIn(langSmith).sort()).toEqual(runs.map(({ id }) => `post.${id}`).sort())
    expect(trees.mock.calls.length).toBeLessThanOrEqual(2 * runs.length)
    trees.mockRestore()
  },
)

/** The runs that have not ended, once there are this many, in whichever requests they come. */
async function openRuns({ received, runs }: LangSmithServer, count: number): Promise<LangSmithRun[]> {
  for (let requests = 1; ; requests += 1) {
    await received(requests)
    const open = (await runs()).filter(({ end_time }) => end_time === undefined)
    if (open.length >= count) return open
  }
}

// EVIDENCE-OF docs/guides/tracing.md: A run that is left out has no tracer, and costs what it would cost without LangSmith.
test('a node and a call that take longer than a second are shown before they end', async () => {
  const time = fakeTime()
  const late = Promise.withResolvers<void>()
  const model = new ScriptedModel([{ text: 'Late.', after: late.promise }])
  const { langSmith, service } = await told({ models: [model.named()] })
  const run = service.run('Go.')
  await model.asked(1)
  const open = await time.until(openRuns(langSmith, 3))
  expect(open.map(({ name }) => name)).toEqual(['agent', 'plan', 'ScriptedModel'])
  expect(open[0]?.inputs).toMatchObject({ messages: [{ kwargs: { content: 'Go.' } }] })
  late.resolve()
  await time.until(run)
  await time.until(service.close())
  const sentTwice = open.flatMap(({ id }) => [`post.${id}`, `patch.${id}`])
  expect(partsIn(langSmith)).toEqual(expect.arrayContaining(sentTwice))
})

test('in a run of any length, a text is masked once', async () => {
  const { env } = await startLangSmith()
  const mask = vi.fn((text: string) => text)
  const settings = langSmithVariables.parse(env)
  const agent = { id: 'agent-1', name: 'Ada' }
  const langSmith = createLangSmith({ settings, agent, mask, onDelivery: () => {} })
  const { handlers: callbacks } = langSmith.trace({ id: 'test-1' } as never, new AbortController().signal)
  const model = new ScriptedModel(() => 'Yes.')
  for (let step = 0; step < 5; step += 1) await model.invoke('Are you there?', { callbacks: [...callbacks] })
  await langSmith.flush()
  expect(mask.mock.calls.filter(([text]) => text === 'Are you there?')).toHaveLength(1)
})

// EVIDENCE-OF docs/guides/tracing.md: A run that is left out has no tracer, and costs what it would cost without LangSmith.
test('a share of runs is sent, each whole and with that share; one that is left out makes no run tree', async () => {
  // As in a process, where LangChain would trace what we do not.
  vi.stubEnv('LANGSMITH_TRACING', 'true')
  onTestFinished(() => void vi.unstubAllEnvs())
  const model = new ScriptedModel(() => 'Done.')
  const { langSmith, service } = await told(
    { models: [model.named()] },
    { LANGSMITH_TRACING_SAMPLING_RATE: '0.25' },
  )
  const trees = vi.spyOn(RunTree as unknown as { getDefaultConfig(): object }, 'getDefaultConfig')
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.25)
  await service.run('Left out.')
  expect(trees).not.toHaveBeenCalled()
  random.mockReturnValue(0.249)
  await service.run('Sent.')
  random.mockRestore()
  trees.mockRestore()
  await service.close()
  const runs = await langSmith.runs()
  expect(runs.filter(({ parent_run_id }) => !parent_run_id)).toHaveLength(1)
  expect(JSON.stringify(runs)).not.toContain('Left out.')
  for (const { extra } of runs) expect(extra?.metadata).toMatchObject({ ls_tracing_sample_rate: 0.25 })
})

test.each<{ status: string; reply: ScriptedReply }>([
  { status: 'success', reply: 'Done.' },
  { status: 'error', reply: new Error('broke') },
  { status: 'timeout', reply: { text: 'late', after: new Promise(() => {}) } },
])('a trace names its task, its agent and its end: $status', async ({ status, reply }) => {
  const model = new ScriptedModel([reply])
  const { langSmith, service } = await told({ models: [model.named()] }, { AGENT_NAME: 'Ada' })
  const run = service.run('Go.')
  await model.asked(1)
  if (status === 'timeout') service.tasks.endAll()
  expect(await run).toMatchObject({ status })
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

// EVIDENCE-OF docs/configuration.md [a sampling rate of 0: LangSmith receives no runs]: | `LANGSMITH_TRACING_SAMPLING_RATE` |
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
  await until(() => about().length > 0)
  expect(about()).toEqual([{ level: 'warn', msg: 'telemetry is not delivered', err: expect.anything() }])
  isDown = false
  await service.run('Go.')
  await until(() => about().length > 1)
  expect(about()[1]).toMatchObject({ level: 'info', msg: 'telemetry is delivered again' })
  await service.close()
})
