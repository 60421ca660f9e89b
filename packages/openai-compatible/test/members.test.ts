import { OpenAICompatibleModel } from '@agent-task-service/openai-compatible'
import { asks, call, completion, fails, says } from '@agent-task-service/test-support/openai-replies'
import { fallbackTo, inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

test("a turn returns to its provider with that provider's members, and to another without them", async () => {
  const { id, type, function: asked } = call('add', { a: 1, b: 2 })
  const thinking = (n: number) =>
    completion(
      {
        role: 'assistant',
        content: null,
        reasoning_content: `thought ${n}`,
        tool_calls: [
          {
            id: `${id}${n}`,
            type,
            function: asked,
            extra_content: { google: { thought_signature: `s${n}` } },
          },
        ],
      },
      { finish: 'tool_calls' },
    )
  const away = fails(503, undefined, { 'retry-after': '600' })
  const one = await openAIServer(inTurn(thinking(1), thinking(2), away))
  const two = await openAIServer(inTurn(thinking(3), says('3')))
  const { run } = await testService({ ...one.env, ...fallbackTo(two), LOG_ERRORS: 'brief' }, { tools: [add] })
  expect(await run('Add')).toMatchObject({ status: 'success', output: '3' })
  const words = (request: unknown) => JSON.stringify(request).match(/thought \d|"s\d"/g) ?? []
  expect(one.requests.map(({ body }) => words(body.messages))).toEqual([
    [],
    ['thought 1', '"s1"'],
    ['thought 1', '"s1"', 'thought 2', '"s2"'],
  ])
  expect(two.requests.map(({ body }) => words(body.messages))).toEqual([[], ['thought 3', '"s3"']])
})

// EVIDENCE-OF docs/configuration.md: | `MODEL_PARAMS` |
// EVIDENCE-OF docs/configuration.md: | `MODEL_HEADERS` |
test('sends extra members and headers with each request; null removes a member', async () => {
  const server = await openAIServer(inTurn(asks([call('add', { a: 1, b: 2 })]), says('3')))
  const { run } = await testService(
    {
      ...server.env,
      MODEL_PARAMS: '{"reasoning_effort":"low","top_p":0.9,"stream_options":null}',
      MODEL_HEADERS: '{"X-Title":"my agent"}',
    },
    { tools: [add] },
  )
  await run('Add')
  for (const { body, headers } of server.requests) {
    expect(body).toMatchObject({ reasoning_effort: 'low', top_p: 0.9 })
    expect(body).not.toHaveProperty('stream_options')
    expect(headers['x-title']).toBe('my agent')
  }
  expect(server.requests).toHaveLength(2)
})

test('asked for a whole reply, a server is sent no option of a stream', async () => {
  const server = await openAIServer(inTurn(says('3')))
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, MODEL: model } = server.env
  await new OpenAICompatibleModel({ model, apiKey, baseUrl, api: 'chat' }).invoke('Add')
  const [{ body } = {}] = server.requests
  expect([body?.stream, body && 'stream_options' in body]).toEqual([undefined, false])
})
