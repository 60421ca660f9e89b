import { ScriptedModel } from '@agent-task-service/engine/testing'
import { serve, watchRun } from '@agent-task-service/test-support/event-stream'
import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

const SECRET = 'hunter2-hunter2'
const TASK = { task_id: 'test-1', input: 'What is 15% of 240, and 2 + 2?' }
const SHOWN = { STREAM_MODEL_INPUT: 'true' }
const ASKED = { prefer: 'respond-async, Model-Input' }

// EVIDENCE-OF docs/reference/event-stream.md: | `model_input` |
test('tells what each model call read: every message with its tokens, the text of each once', async () => {
  const server = await openAIServer(
    inTurn(
      asks([call('calculator', { expression: '15% of 240' })]),
      asks([call('calculator', { expression: '2 + 2' })]),
      says('36 and 4.'),
    ),
  )
  const { url } = await serve({ ...server.env, ...SHOWN })
  const events = await watchRun(url, TASK, ASKED).rest()
  const inputs = events.flatMap(event => (event.type === 'model_input' ? [event.data] : []))
  expect(inputs.map(({ step }) => step)).toEqual([1, 3, 5])
  const texts = new Map<number, string>()
  for (const [at, { messages }] of inputs.entries()) {
    for (const { number, text } of messages) {
      expect(texts.has(number)).toBe(text === undefined)
      if (text !== undefined) texts.set(number, text)
    }
    const { body } = server.requests[at]!
    const [tools, ...read] = messages.map(({ number, role }) => ({ role, text: texts.get(number) }))
    expect(tools).toMatchObject({ role: 'tools' })
    expect(tools!.text!.split('\n').map(tool => JSON.parse(tool))).toEqual(body.tools)
    expect(read.map(({ role }) => role)).toEqual(body.messages.map(({ role }) => role))
    for (const [index, { role, text }] of read.entries())
      if (role !== 'assistant') expect(text).toBe(body.messages[index]!.content)
    expect(messages.every(({ tokens }) => tokens > 0)).toBe(true)
  }
  expect(inputs[1]!.messages.filter(({ text }) => text !== undefined).map(({ role }) => role)).toEqual([
    ...['assistant', 'tool'],
  ])
})

// EVIDENCE-OF docs/reference/event-stream.md: Only an agent with `STREAM_MODEL_INPUT=true` sends `model_input` events, and
//   only to a caller who asks with `Prefer: model-input`.
test.each([
  ['the agent may not', {}, ASKED],
  ['the caller does not ask', SHOWN, {}],
  ['the agent is in production', { ...SHOWN, NODE_ENV: 'production' }, ASKED],
])('tells nobody if %s, and leaves no gap', async (_why, env, headers) => {
  const { url } = await serve(env)
  const watched = await fetch(`${url}/run`, {
    method: 'POST',
    body: JSON.stringify(TASK),
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
  })
  const lines = (await watched.text()).split('\n')
  expect(lines.filter(line => line.startsWith('event: model'))).not.toContain('event: model_input')
  const ids = lines.filter(line => line.startsWith('id: '))
  expect(ids).toEqual(ids.map((_, index) => `id: ${index + 1}`))
})

// EVIDENCE-OF docs/configuration.md: | `STREAM_MODEL_INPUT` |
test('says that it is not read in production', async () => {
  const { lines } = await testService({ ...SHOWN, NODE_ENV: 'production' })
  expect(lines.map(({ msg }) => msg)).toContain(
    'STREAM_MODEL_INPUT is not read: NODE_ENV is production, where it is always false',
  )
})

// EVIDENCE-OF docs/reference/event-stream.md: Secrets in them are masked, and each text ends
//   after 8,192 characters. The service neither logs nor stores them.
test('masks secrets and truncates long texts, and logs none of it', async () => {
  const model = new ScriptedModel(['Done.'])
  const { url, lines } = await serve(
    { ...SHOWN, AGENT_TOKENS: SECRET, LOG_LEVEL: 'trace' },
    { models: [model.named()] },
  )
  const input = `mark ${SECRET} ${'x'.repeat(10_000)}`
  const headers = { ...ASKED, authorization: `Bearer ${SECRET}` }
  const { data } = await watchRun(url, { ...TASK, input }, headers).nextOf('model_input')
  const read = data.messages.find(({ role }) => role === 'user')!
  expect(read.text).toMatch(/^mark \[redacted\] xxx/)
  expect(read.text).toHaveLength(8_192)
  expect(JSON.stringify(lines)).not.toContain('mark ')
})
