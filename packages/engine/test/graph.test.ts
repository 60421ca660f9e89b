import { ScriptedModel } from '@agent-task-service/engine/testing'
import { asks, call, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { add, tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

test.each([0, 1, 4])('%i rounds of tools take one more model call than rounds', async rounds => {
  const turns = Array.from({ length: rounds }, (_, turn) => asks([call('add', { a: turn, b: 1 })]))
  const server = await openAIServer(inTurn(...turns, says('That is all.')))
  const { run, lines } = await testService(server.env, { tools: [add] })
  const reply = await run('Count for me')
  expect(reply).toMatchObject({ status: 'success', output: 'That is all.' })
  expect(server.requests).toHaveLength(rounds + 1)
  expect(reply.metrics).toMatchObject({ steps: rounds + 1 + rounds })
  expect(lines).toMatchObject([{ stop: 'answer', model: 'first-model', tools: rounds > 0 ? ['add'] : [] }])
  expect(toolTexts(server.requests[rounds]!)).toEqual(['1', '2', '3', '4'].slice(0, rounds))
})

test("the model sees a tool's name, description and JSON Schema", async () => {
  const server = await openAIServer(inTurn(says('ok')))
  const { run } = await testService(server.env, { tools: [add] })
  await run('Hello')
  expect(server.requests[0]!.body.tools).toEqual([
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

test('a model that takes no tools is named in the log at start, and answers without', async () => {
  const entry = new ScriptedModel(['Hello.']).named()
  const create: typeof entry.create = cap => Object.assign(entry.create(cap), { bindTools: undefined })
  const { run, lines } = await testService({}, { models: [{ ...entry, create }] })
  expect(lines.map(({ msg }) => msg)).toContain('ScriptedModel has no bindTools(), so it is offered no tools')
  expect(await run('Hi')).toMatchObject({ output: 'Hello.' })
})
