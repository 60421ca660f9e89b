import { listen } from '@agent-task-service/engine/server'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { watchRun } from '@agent-task-service/test-support/event-stream'
import { asks, call, fails, streams } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { OWN_TOOLS } from '@agent-task-service/test-support/own-tools'
import { type ServiceOptions, testService } from '@agent-task-service/test-support/service'
import { HEARTBEAT_SEC, type StreamEvent } from '@agent-task-service/wire/contract'
import { expect, onTestFinished, test, vi } from 'vitest'

async function serve(env: Record<string, string> = {}, options: ServiceOptions = {}) {
  const service = await testService(env, options)
  const { port, drain } = await listen(service, { port: 0, hostname: '127.0.0.1' })
  onTestFinished(() => drain(500))
  return { ...service, drain, url: `http://127.0.0.1:${port}` }
}

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

test("streams the provider's text as it arrives, and ends the upstream call when the caller hangs up", async () => {
  const { promise: isRead, resolve: goOn } = Promise.withResolvers<void>()
  const server = await openAIServer(inTurn(piecesThenSilence(isRead, 'Hel', 'lo')))
  const { url, lines } = await serve(server.env)
  const run = watchRun(url, { task_id: 'test-1', input: 'Hello' })
  expect((await run.nextOf('text')).data).toMatchObject({ step: 1, text: 'Hel' })
  goOn()
  expect((await run.nextOf('text')).data).toMatchObject({ step: 1, text: 'lo' })
  run.close()
  await (await server.arrival(0)).closed
  await vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining({ stop: 'hang_up' })))
})

test('streams tool calls, a failed try, and the answer', async () => {
  const server = await openAIServer(
    inTurn(asks([call('calculator', { expression: '6*7' })]), fails(500), streams(['42', '.'], 'stop')),
  )
  const { url } = await serve(server.env)
  const events = await watchRun(url, { task_id: 'test-1', input: 'What is 6*7?' }).rest()
  // The pieces of a text that arrive together are one event or several.
  const told = events.filter(
    ({ type }, at) => !/^(run|node)_/.test(type) && !(type === 'text' && events[at - 1]?.type === 'text'),
  )
  expect(told.map(({ type, data }) => [type, 'step' in data && data.step])).toEqual([
    ['model_started', 1],
    ['model_finished', 1],
    ['tool_started', 2],
    ['tool_finished', 2],
    ['model_started', 3],
    ['model_failed', 3],
    ['model_started', 3],
    ['text', 3],
    ['model_finished', 3],
  ])
  expect(told[0]!.data).toMatchObject({ model: 'first-model', attempt: 1 })
  expect(told[1]!.data).toMatchObject({ tool_calls: ['calculator'] })
  expect(told[3]!.data).toMatchObject({ tool: 'calculator', failed: false, result: '6 * 7 = 42' })
  expect(told[6]!.data).toMatchObject({ attempt: 2 })
  expect(events.at(-1)!.data).toMatchObject({ response: { status: 'success', output: '42.' } })
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
    const { post } = await serve()
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

test('a secret never leaves in a stream, not even in pieces', async () => {
  const server = await openAIServer(request => {
    const key = String(request.headers.authorization).slice('Bearer '.length)
    return streams(['The key is ', ...key, ', and sk-pro', 'ject is a word'], 'stop')
  })
  const { url } = await serve(server.env)
  const events = await watchRun(url, { task_id: 'test-1', input: 'Hello' }).rest()
  const text = events.map(({ data }) => ('text' in data ? data.text : '')).join('')
  expect(text).toBe('The key is [redacted], and sk-project is a word')
  expect(JSON.stringify(events)).not.toContain(server.env.OPENAI_API_KEY)
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

/** Streams one piece, the next once `next` resolves, then nothing. */
function piecesThenSilence(next: Promise<void>, first: string, second: string): Reply {
  return async response => {
    const write = (content: string) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write(first)
    await next
    write(second)
  }
}
