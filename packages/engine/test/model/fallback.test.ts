import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { asks, call, completion, fails, json, says } from '@agent-task-service/test-support/openai-replies'
import { fallbackTo, inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { modelOf, testService } from '@agent-task-service/test-support/service'
import { AIMessage, HumanMessage, trimMessages } from '@langchain/core/messages'
import { expect, onTestFinished, test } from 'vitest'

/** Two servers, each with its own address and key. */
async function pair(first: readonly Reply[], second: readonly Reply[], env: Record<string, string> = {}) {
  const [one, two] = [await openAIServer(inTurn(...first)), await openAIServer(inTurn(...second))]
  const settings = {
    ...one.env,
    ...fallbackTo(two, 'second-model'),
    LOG_ERRORS: 'brief',
    ...env,
  }
  return { one, two, service: await testService(settings, { tools: [add] }) }
}

// EVIDENCE-OF docs/configuration.md: | `FALLBACK_HEADERS` |
test.each([
  { title: 'an unpaid bill', refused: fails(402), reason: 'quota_spent', level: 'error' },
  { title: 'a rejected request', refused: fails(400), reason: 'rejected', level: 'warn' },
])(
  '$title: the fallback answers, at its own address, with its own key',
  async ({ refused, reason, level }) => {
    const headers = { MODEL_HEADERS: '{"x-team":"one"}', FALLBACK_HEADERS: '{"x-team":"two"}' }
    const { one, two, service } = await pair([refused], [says('Here.')], headers)
    expect(await service.run('Hello')).toMatchObject({ status: 'success', output: 'Here.' })
    expect(one.requests[0]!.headers).toMatchObject({
      authorization: `Bearer ${one.env.OPENAI_API_KEY}`,
      'x-team': 'one',
    })
    expect(two.requests[0]!.headers).toMatchObject({
      authorization: 'Bearer key-of-the-second',
      'x-team': 'two',
    })
    expect(two.requests[0]!.body.model).toBe('second-model')
    expect(service.lines.find(({ msg }) => msg === 'model given up')).toMatchObject({ level, reason })
  },
)

test('after two empty answers the fallback is called', async () => {
  const { service } = await pair([says(''), says(' ')], [says('Here.')])
  expect(await service.run('Hello')).toMatchObject({
    status: 'success',
    output: 'Here.',
    metrics: { steps: 1 },
  })
  expect(service.lines[0]).toMatchObject({ msg: 'model given up', reason: 'empty_answer' })
})

test('a model that calls tools when told to answer leaves the answer to the fallback', async () => {
  const turn = asks([call('add', { a: 1, b: 2 })])
  const { one, service } = await pair([turn, turn, turn], [says('3')], { MAX_STEPS: '3' })
  expect(await service.run('Add')).toMatchObject({ status: 'success', output: '3', metrics: { steps: 3 } })
  expect(one.requests.map(({ body }) => body.tools?.length)).toEqual([1, 1, undefined])
  expect(service.lines[0]).toMatchObject({ msg: 'model given up', reason: 'empty_answer' })
})

test('a second try fixes an empty answer and a botched call', async () => {
  const botched = json(
    {
      error: {
        message: 'Failed to call a function.',
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        failed_generation: '<function',
      },
    },
    400,
    { 'retry-after': '0' },
  )
  const reasoningOnly = completion({ role: 'assistant', content: '', reasoning_content: 'Hm.' })
  const server = await openAIServer(
    inTurn(botched, asks([call('add', { a: 1, b: 2 })]), reasoningOnly, says('3')),
  )
  const { run } = await testService(server.env, { tools: [add] })
  expect(await run('Add')).toMatchObject({ status: 'success', output: '3', metrics: { steps: 3 } })
  expect(server.requests).toHaveLength(4)
})

test('asks for the answer with the tools named but none allowed, or without them if a provider refuses that', async () => {
  const round = asks([call('add', { a: 1, b: 2 })])
  const refused = json(
    { error: { message: '`tool_choice` none is not supported with tools', type: 'invalid_request_error' } },
    400,
  )
  const server = await openAIServer(({ body }) => {
    if (body.tool_choice === 'none') return refused
    return body.tools ? round : says('3')
  })
  const { run } = await testService({ ...server.env, MAX_STEPS: '4' }, { tools: [add] })
  const shapes = () => server.requests.map(({ body }) => [body.tools?.length, body.tool_choice])
  expect(await run('Add')).toMatchObject({ status: 'success', output: '3' })
  expect(shapes()).toEqual([
    [1, undefined],
    [1, 'none'],
    [undefined, undefined],
  ])
})

test('counts tokens for trimMessages by itself, without the network', async () => {
  const fetched: unknown[] = []
  const note = (request: unknown) => void fetched.push(request)
  subscribe('undici:request:create', note)
  onTestFinished(() => void unsubscribe('undici:request:create', note))
  const model = await modelOf({}, { models: [new ScriptedModel([]).named()] })
  const conversation = [
    new HumanMessage('word '.repeat(500)),
    new AIMessage('Yes.'),
    new HumanMessage('Go on'),
  ]
  const options = { strategy: 'last', tokenCounter: model, maxTokens: 20 } as const
  expect((await trimMessages(conversation, options)).map(({ text }) => text)).toEqual(['Yes.', 'Go on'])
  expect(fetched).toEqual([])
})
