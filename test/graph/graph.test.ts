import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asks, call, says, toolTexts } from '../support/openai-replies.ts'
import { inTurn, openAIServer, type WireMessage } from '../support/openai-server.ts'
import { testService } from '../support/service.ts'
import { withToday } from '../support/with-today.ts'
import { add, tool } from './sample-tools.ts'

const mock = new LLMock({ port: 0 })
const env = { OPENAI_API_KEY: 'any-key-will-do', OPENAI_BASE_URL: '', MODEL: 'gpt-4.1-mini' }

beforeAll(async () => {
  env.OPENAI_BASE_URL = `${await mock.start()}/v1`
})
afterAll(() => mock.stop())

const messages = (index: number) => mock.getRequests()[index]?.body?.messages as WireMessage[]
const offered = (index: number) =>
  (mock.getRequests()[index]?.body?.tools as { function: { name: string } }[] | undefined)?.map(
    ({ function: { name } }) => name,
  )

test.each([0, 1, 2, 3, 4])('%i rounds of tools take one more model call than rounds', async rounds => {
  mock.reset()
  for (let turn = 0; turn < rounds; turn += 1) {
    const args = JSON.stringify({ a: turn, b: 1 })
    mock.onTurn(turn, /.*/, { toolCalls: [{ name: 'add', arguments: args, id: `call_${turn}` }] })
  }
  mock.onTurn(rounds, /.*/, { content: 'That is all.' })
  const { run, lines } = await testService(env, { tools: [add] })
  const reply = await run('Count for me')
  expect(reply).toMatchObject({ status: 'success', output: 'That is all.' })
  expect(mock.getRequests()).toHaveLength(rounds + 1)
  expect(reply.metrics).toMatchObject({ steps: rounds + 1 + rounds })
  expect(lines).toMatchObject([{ stop: 'answer', model: 'gpt-4.1-mini', tools: rounds > 0 ? ['add'] : [] }])
  const results = messages(rounds).filter(({ role }) => role === 'tool')
  expect(results.map(({ content }) => content)).toEqual(['1', '2', '3', '4'].slice(0, rounds))
})

test.each([
  { enabled: undefined, names: ['add', 'echo'] },
  { enabled: ['echo'], names: ['echo'] },
  { enabled: [], names: undefined },
])('enabled_tools $enabled: the model is offered $names', async ({ enabled, names }) => {
  mock.reset().onMessage(/.*/, { content: 'ok' })
  const { run } = await testService(env, { tools: [add, tool('echo', () => 'echo')] })
  expect(await run('Hello', enabled && { enabled_tools: enabled })).toMatchObject({ status: 'success' })
  expect(offered(0)).toEqual(names)
})

test("the model sees a tool's name, description and JSON Schema", async () => {
  mock.reset().onMessage(/.*/, { content: 'ok' })
  const { run } = await testService(env, { tools: [add] })
  await run('Hello')
  expect(mock.getRequests()[0]?.body?.tools).toEqual([
    {
      type: 'function',
      function: {
        name: 'add',
        description: 'Adds two numbers.',
        parameters: expect.objectContaining({
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number' } },
          required: ['a', 'b'],
        }),
      },
    },
  ])
})

test.each([
  { given: undefined, told: [{ role: 'system', content: withToday('Be the agent.') }] },
  { given: 'Be a poet.', told: [{ role: 'system', content: 'Be a poet.' }] },
  { given: '', told: [] },
])('system_prompt $given: the model is told $told', async ({ given, told }) => {
  mock.reset().onMessage(/.*/, { content: 'ok' })
  const { run } = await testService({ ...env, SYSTEM_PROMPT: 'Be the agent.' }, { tools: [] })
  await run('Hello', given === undefined ? undefined : { system_prompt: given })
  expect(messages(0)).toEqual([...told, { role: 'user', content: 'Hello' }])
})

test('tool calls of one turn run in parallel; results keep the order of the calls', async () => {
  const started: string[] = []
  const both = Promise.withResolvers<void>()
  const secondEnded = Promise.withResolvers<void>()
  const meet = (name: string) => {
    started.push(name)
    if (started.length === 2) both.resolve()
    return both.promise
  }
  const slow = tool('slow', async () => {
    await meet('slow')
    await secondEnded.promise
    return 'slow is done'
  })
  const quick = tool('quick', async () => {
    await meet('quick')
    secondEnded.resolve()
    return 'quick is done'
  })
  const server = await openAIServer(inTurn(asks([call('slow', {}), call('quick', {})]), says('Both.')))
  const { run } = await testService(server.env, { tools: [quick, slow] })
  expect(await run('Do both')).toMatchObject({ output: 'Both.', metrics: { steps: 4 } })
  expect(toolTexts(server.requests[1]!)).toEqual(['slow is done', 'quick is done'])
})

test('no message is lost if every provider reply has the same message id', async () => {
  const same = { id: 'chatcmpl-1' }
  const server = await openAIServer(
    inTurn(
      asks([call('add', { a: 1, b: 1 }, 'one')], same),
      asks([call('add', { a: 2, b: 2 }, 'two')], same),
      says('2 and 4', same),
    ),
  )
  const { run } = await testService(server.env, { tools: [add] })
  expect(await run('Add twice', { system_prompt: '' })).toMatchObject({ output: '2 and 4' })
  const told = server.requests[2]!.body.messages.map(({ role, tool_calls, tool_call_id }) => [
    role,
    tool_calls?.[0]?.id ?? tool_call_id,
  ])
  expect(told).toEqual([
    ['user', undefined],
    ['assistant', 'one'],
    ['tool', 'one'],
    ['assistant', 'two'],
    ['tool', 'two'],
  ])
})
