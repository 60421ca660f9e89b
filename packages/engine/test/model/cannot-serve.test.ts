import { ScriptedModel, type ScriptedReply, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { warmUp } from '@agent-task-service/test-support/service'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { beforeAll, beforeEach, expect, test } from 'vitest'

const refused = (status: number) => Object.assign(new Error('no'), { status })
const wrongKey = refused(401)
const unreachable = new TypeError('fetch failed', {
  cause: Object.assign(new Error(), { code: 'ENOTFOUND' }),
})
const silent = { after: new Promise(() => undefined) }

let time: FakeTime

beforeAll(warmUp)
beforeEach(() => {
  time = fakeTime()
})

/** A service whose models give the replies that a test sets, and what its log says of a run and of serving. */
async function serve(names: readonly string[] = ['only'], definition: Partial<typeof agent> = {}) {
  const replies: Record<string, ScriptedReply> = {}
  const models = names.map(name => new ScriptedModel(() => replies[name]!).named(name))
  const env = { LOG_ERRORS: 'brief', RUN_TIMEOUT_SEC: '20', ANSWER_BY_SEC: '15' }
  const service = await testService({ ...agent, ...definition }, { env, models, tools: [] })
  let runs = 0
  const run = async (next: typeof replies) => {
    Object.assign(replies, next)
    return await time.until(service.run('Hello', {}, `test-${++runs}`))
  }
  const told = () =>
    service.lines
      .splice(0)
      .filter(({ msg }) => ['cannot serve', 'serving again', 'model given up', 'run'].includes(String(msg)))
      .map(({ level, msg, reason }) => [level, msg, ...(reason === undefined ? [] : [reason])].join(' '))
  return { ...service, run, told }
}

// EVIDENCE-OF docs/guides/operations.md: | `cannot serve` |
// EVIDENCE-OF docs/guides/operations.md: | `serving again` |
test('a rejected key is told once, at the first run; its end at the first answer', async () => {
  const { run, told, app } = await serve()
  await run({ only: wrongKey })
  await run({ only: wrongKey })
  expect(told()).toEqual(['error cannot serve key_rejected', 'info run', 'info run'])
  expect((await app.request('/health')).status).toBe(200)
  await run({ only: 'Here.' })
  await run({ only: 'Here.' })
  expect(told()).toEqual(['info serving again', 'info run', 'info run'])
})

// EVIDENCE-OF docs/guides/operations.md: | `cannot serve` |
test.each([
  ['cannot be reached', unreachable, 'passing'],
  ['answers 500', refused(500), 'passing'],
  ['only limits rates', refused(429), 'rate_limited'],
  ['is silent', silent, 'stalled'],
])('a model that %s: told once, at the third run that is lost in a row', async (_what, only, reason) => {
  const { run, told } = await serve()
  const lost = () => run({ only })
  const perRun = reason === 'stalled' ? ['warn model given up stalled', 'info run'] : ['warn run']
  await lost()
  await lost()
  expect(told()).toEqual([...perRun, ...perRun])
  await run({ only: 'Here.' })
  await lost()
  await lost()
  expect(told()).toEqual(['info run', ...perRun, ...perRun])
  await lost()
  await lost()
  const cannotServe = `error cannot serve ${reason}`
  expect(told().filter(line => line !== perRun[0])).toEqual([cannotServe, 'info run', 'info run'])
  await run({ only: 'Here.' })
  expect(told()).toEqual(['info serving again', 'info run'])
})

test('many runs at once: one line for all', async () => {
  const { run, told } = await serve()
  await Promise.all(Array.from({ length: 16 }, () => run({ only: unreachable })))
  expect(told().filter(line => !line.endsWith(' run'))).toEqual(['error cannot serve passing'])
})

test('what concerns one task says nothing of others', async () => {
  const { run, told } = await serve()
  for (const only of [refused(400), refused(413), '', { text: 'No.', finishReason: 'content_filter' }])
    await run({ only })
  expect(told().filter(line => !line.endsWith(' run'))).toEqual([])
})

test('several models: only the failure of all of them counts, and one that may pass is no reason to page', async () => {
  const { run, told } = await serve(['first', 'second'])
  await run({ first: unreachable, second: wrongKey })
  expect(told()).toEqual(['warn model given up passing', 'error model given up key_rejected', 'warn run'])
  for (let n = 0; n < 4; n += 1) await run({ first: wrongKey, second: 'Here.' })
  expect(told()).not.toContainEqual(expect.stringContaining('serv'))
  await run({ first: wrongKey, second: wrongKey })
  expect(told()).toContain('error cannot serve key_rejected')
  await run({ first: wrongKey, second: 'Here.' })
  expect(told()).toContain('info serving again')
})

test('a run whose model replied before does not end it', async () => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const graph: typeof agent.graph = ({ model }) =>
    new StateGraph(MessagesAnnotation)
      .addNode('ask', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('wait', async () => {
        asked.resolve()
        await gate.promise
        return {}
      })
      .addEdge(START, 'ask')
      .addEdge('ask', 'wait')
      .compile()
  const { run, told } = await serve(['only'], { graph })
  const before = run({ only: 'Here.' })
  await asked.promise
  await time.pass(1)
  await run({ only: wrongKey })
  gate.resolve()
  expect(await before).toMatchObject({ status: 'success' })
  expect(told()).toEqual(['error cannot serve key_rejected', 'info run', 'info run'])
  await run({ only: 'Here.' })
  expect(told()).toEqual(['info serving again', 'info run'])
})

test("a node's own model counts as those of the list do", async () => {
  const model = new ScriptedModel(() => unreachable)
  const graph = () =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addEdge(START, 'own')
      .compile()
  const { run, told } = await serve(['only'], { graph })
  for (let n = 0; n < 3; n += 1) await run({})
  expect(told()).toEqual(['warn run', 'warn run', 'error cannot serve passing', 'info run'])
})
