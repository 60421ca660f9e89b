import { ScriptedModel } from '@agent-task-service/engine/testing'
import { serve, watchRun } from '@agent-task-service/test-support/event-stream'
import { OWN_TOOLS } from '@agent-task-service/test-support/own-tools'
import { testService } from '@agent-task-service/test-support/service'
import { HEARTBEAT_SEC, type StreamEvent } from '@agent-task-service/wire/contract'
import { expect, onTestFinished, test, vi } from 'vitest'

const TASK = { task_id: 'test-1', input: 'What is 15% of 240, and 2 + 2?' }
/** Without those of nodes, which are the graph's. */
const typesOf = (events: readonly StreamEvent[]) =>
  events.map(({ type }) => type).filter(type => !type.startsWith('node_'))

test('streams a run of the offline model, event by event', async () => {
  const { url } = await serve()
  const events = await watchRun(url, TASK).rest()
  expect(typesOf(events).filter(type => type !== 'text')).toEqual([
    'run_started',
    'model_started',
    'model_finished',
    'tool_started',
    'tool_started',
    'tool_finished',
    'tool_finished',
    'model_started',
    'model_finished',
    'run_finished',
  ])
  expect(events[0]!.data).toMatchObject({
    task_id: 'test-1',
    tools: OWN_TOOLS,
    limits: { answer_by_sec: 25, timeout_sec: 110, max_steps: 50, max_output_tokens: null },
  })
  const tools = events.filter(event => event.type === 'tool_started').map(({ data }) => data)
  expect(tools.map(({ step, tool, arguments: args }) => [step, tool, JSON.parse(args).expression])).toEqual([
    [2, 'calculator', '15% of 240'],
    [3, 'calculator', '2 + 2'],
  ])
  const finished = events.at(-1)!
  if (finished.type !== 'run_finished') throw new Error(`expected run_finished, got ${finished.type}`)
  const said = events.filter(event => event.type === 'text' && event.data.step === 4)
  expect(said.map(({ data }) => ('text' in data ? data.text : '')).join('')).toBe(
    finished.data.response.output,
  )
})

test('streams what the nodes do: each that starts ends, around its calls', async () => {
  const { url } = await serve()
  const events = await watchRun(url, TASK).rest()
  let open = 0
  for (const { type, data } of events) {
    if (type === 'node_started') open += 1
    if (type === 'model_started' || type === 'tool_started') expect(open).toBeGreaterThan(0)
    if (type !== 'node_finished') continue
    open -= 1
    expect(data).toMatchObject({ node: expect.stringMatching(/./), failed: false })
    expect(data.superstep).toBeGreaterThan(0)
  }
  expect(open).toBe(0)
  expect(events.some(({ type }) => type === 'node_started')).toBe(true)
})

test('announces approaching limits once, in the units of their names', async () => {
  const usage = { input: 120, output: 9 }
  const models = [
    new ScriptedModel([
      { toolCalls: [{ name: 'calculator', args: { expression: '1' } }], usage },
      { text: 'Done.', usage },
    ]).named(),
  ]
  const { url } = await serve({ MAX_STEPS: '4', MAX_TOTAL_TOKENS: '300' }, { models })
  const config = { max_tokens: 20, system_prompt: '', enabled_tools: ['calculator'] }
  const events = await watchRun(url, { ...TASK, config }).rest()
  const near = events.filter(event => event.type === 'limit_near').map(({ data }) => data)
  expect(near.map(({ limit, used, of }) => [limit, used, of])).toEqual([
    ['max_output_tokens', 18, 20],
    ['max_total_tokens', 258, 300],
  ])
})

test('reports an invalid request as the only event of its stream', async () => {
  const { url } = await serve()
  const events = await watchRun(url, { task_id: 'test-1' }).rest()
  expect(typesOf(events)).toEqual(['run_finished'])
  expect(events[0]!.data).toMatchObject({ response: { status: 'error', output: '', metrics: {} } })
})

test.each(['application/json', '*/*', 'text/event-stream;q=0.1, application/json', ''])(
  'Accept: %s gets JSON',
  async accept => {
    const { post } = await testService()
    const reply = await post(TASK, { accept })
    expect(reply.headers.get('content-type')).toBe('application/json')
  },
)

test('a silent run sends heartbeats, and forbids caching and buffering', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const gate = Promise.withResolvers<void>()
  const model = new ScriptedModel([{ text: 'Done.', after: gate.promise }])
  const { post } = await testService({}, { models: [model.named()] })
  const reply = await post(TASK, { accept: 'text/event-stream' })
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  await model.asked(1)
  vi.advanceTimersByTime(2 * HEARTBEAT_SEC * 1000)
  gate.resolve()
  expect((await reply.text()).match(/^: heartbeat$/gm)).toHaveLength(2)
  expect(vi.getTimerCount()).toBe(0)
})

test("truncates a tool's long result in the event, not in the run", async () => {
  const long = 'x'.repeat(5_000)
  const model = new ScriptedModel([
    { toolCalls: [{ name: 'calculator', args: { expression: long } }] },
    'Done.',
  ])
  const { url } = await serve({}, { models: [model.named()] })
  const { data } = await watchRun(url, TASK).nextOf('tool_started')
  expect(data.arguments).toHaveLength(2_000)
})
