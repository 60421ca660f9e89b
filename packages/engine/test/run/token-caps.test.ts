import { ScriptedModel } from '@agent-task-service/engine/testing'
import { countRequest } from '@agent-task-service/engine/tokens'
import { asks, call, json, says } from '@agent-task-service/test-support/openai-replies'
import {
  inTurn,
  type ModelRequest,
  openAIServer,
  type Reply,
} from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'

const usage = (input: number, output: number) => ({
  usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
})
const sum = () => [call('add', { a: 1, b: 2 })]
const caps = (requests: readonly ModelRequest[]) =>
  requests.map(({ body }) => body.max_tokens ?? body.max_completion_tokens)

async function runWith(env: Record<string, string>, config: Record<string, unknown>, ...replies: Reply[]) {
  const server = await openAIServer(inTurn(...replies))
  const service = await testService({ ...server.env, ...env }, { tools: [add] })
  const reply = await service.run('Add them', { system_prompt: '', ...config })
  return { reply, requests: server.requests, stop: service.lines[0]?.stop }
}

// EVIDENCE-OF docs/reference/graph-rules.md: Each call of `parts.model` gets what is left as its cap
test('caps each call at what the run has left', async () => {
  const replies = [asks(sum(), usage(50, 30)), asks(sum(), usage(60, 25)), says('3', usage(70, 5))]
  const { reply, requests } = await runWith({}, { max_tokens: 120 }, ...replies)
  expect(reply).toMatchObject({ status: 'success', output: '3', metrics: { output_tokens: 60 } })
  expect(caps(requests)).toEqual([120, 90, 65])
})

// EVIDENCE-OF docs/configuration.md: | `MAX_OUTPUT_TOKENS` |
test('sends no cap if there is none', async () => {
  const { requests } = await runWith({}, {}, says('3'))
  expect(requests[0]!.body).not.toHaveProperty('max_tokens')
  expect(requests[0]!.body).not.toHaveProperty('max_completion_tokens')
})

test.each([
  { model: 'gpt-4.1-mini', name: 'max_tokens' },
  { model: 'llama3.2:3b', name: 'max_tokens' },
  { model: 'o4-mini', name: 'max_completion_tokens' },
  { model: 'gpt-5-nano', name: 'max_completion_tokens' },
])('$model receives the cap as $name, and as nothing else', async ({ model, name }) => {
  const { requests } = await runWith({ MODEL: model }, { max_tokens: 9 }, says('3'))
  const sent = Object.entries(requests[0]!.body).filter(([member]) => /^max_.*tokens$/.test(member))
  expect(sent).toEqual([[name, 9]])
})

// EVIDENCE-OF docs/configuration.md: | `MAX_OUTPUT_TOKENS` |
test('MAX_OUTPUT_TOKENS caps a run that sets no cap of its own', async () => {
  const env = { MAX_OUTPUT_TOKENS: '44' }
  expect(caps((await runWith(env, {}, says('3'))).requests)).toEqual([44])
  expect(caps((await runWith(env, { max_tokens: 7 }, says('3'))).requests)).toEqual([7])
})

// EVIDENCE-OF docs/reference/errors.md: The cap on generated tokens (`max_tokens`, `MAX_OUTPUT_TOKENS`) cut the answer off or forced an
//   early one; `error` if it was used up before there was any answer; it says what calls of tools took.
test('an answer cut by the cap is a success with the text so far', async () => {
  const cut = says('One two three', { finish: 'length', ...usage(20, 3) })
  expect(await runWith({}, { max_tokens: 3 }, cut)).toMatchObject({
    reply: { status: 'success', output: 'One two three', metrics: { output_tokens: 3 } },
    stop: 'max_tokens',
  })
})

// EVIDENCE-OF docs/reference/errors.md: The cap on generated tokens (`max_tokens`, `MAX_OUTPUT_TOKENS`) cut the answer off or forced an
//   early one; `error` if it was used up before there was any answer; it says what calls of tools took.
test('a cap used up before the first word is an error that names it', async () => {
  const cut = says('', { finish: 'length', ...usage(20, 3) })
  const error = 'the cap of 3 generated tokens (max_tokens) was used up before there was an answer'
  expect(await runWith({}, { max_tokens: 3 }, cut)).toMatchObject({
    reply: { status: 'error', output: '', metrics: {}, error },
    stop: 'max_tokens',
  })
})

const turn = (generated: number, finish = 'tool_calls') => asks(sum(), { finish, ...usage(20, generated) })
const cutCall = (args: string) => asks([call('add', args)], { finish: 'length', ...usage(20, 20) })

// EVIDENCE-OF docs/reference/graph-rules.md: It never begins, and the run ends with an `error` that names the limit.
test.each([
  { title: 'a whole call', replies: [turn(20)], tokens: 20 },
  { title: 'a whole call that ends at the cap', replies: [turn(20, 'length')], tokens: 20 },
  { title: 'a call that is cut in its arguments', replies: [cutCall('{"a":1,')], tokens: 20 },
  { title: 'a call that is cut before them', replies: [cutCall('')], tokens: 20 },
  { title: 'calls of two turns', replies: [turn(10), turn(10)], tokens: 20 },
  { title: 'a server that ignores the cap', replies: [turn(31)], tokens: 31 },
  {
    title: 'a call, and an answer cut before its first word',
    replies: [turn(18), says('', { finish: 'length', ...usage(30, 2) })],
    tokens: 18,
  },
])('$title: a cap that is used up is an error that names it and the share of calls', async row => {
  const { reply, requests, stop } = await runWith({}, { max_tokens: 20 }, ...row.replies)
  const error = `the cap of 20 generated tokens (max_tokens) was used up before there was an answer; calling add took ${row.tokens}`
  expect(reply).toMatchObject({ status: 'error', error })
  expect(stop).toBe('max_tokens')
  // No call is made with nothing left.
  expect(requests).toHaveLength(row.replies.length)
})

test('a call of another class that cannot be read counts as one', async () => {
  const invalidToolCalls = [{ name: 'add', args: '{"a":1,' }]
  const model = new ScriptedModel([
    { invalidToolCalls, finishReason: 'length', usage: { input: 20, output: 20 } },
  ])
  const { run } = await testService({}, { models: [model.named()], tools: [add] })
  const { error } = (await run('Add them', { max_tokens: 20 })) as { error?: string }
  expect(error).toMatch(/; calling add took 20$/)
})

test('a call of 18 tokens leaves an answer two', async () => {
  const answer = says('3', usage(30, 2))
  const { reply, requests } = await runWith({}, { max_tokens: 20 }, turn(18), answer)
  expect(reply).toMatchObject({ status: 'success', output: '3', metrics: { output_tokens: 20 } })
  expect(caps(requests)).toEqual([20, 2])
  // Tools were offered all the same.
  expect(requests[0]!.body.tools).toHaveLength(1)
})

test('a cap used up by an unusable reply is not retried', async () => {
  const odd = json({ choices: [], ...usage(20, 8) })
  const { requests, stop } = await runWith({}, { max_tokens: 8 }, odd)
  expect(requests).toHaveLength(1)
  expect(stop).toBe('max_tokens')
})

// EVIDENCE-OF docs/reference/errors.md: The cap on generated tokens (`max_tokens`, `MAX_OUTPUT_TOKENS`) cut the answer off or forced an
//   early one; `error` if it was used up before there was any answer; it says what calls of tools took.
test('with less left than two more turns like the last, the model must answer', async () => {
  const replies = [asks(sum(), usage(50, 60)), says('3', usage(70, 5))]
  const { reply, requests, stop } = await runWith({}, { max_tokens: 100 }, ...replies)
  expect(reply).toMatchObject({ status: 'success', output: '3' })
  expect(stop).toBe('max_tokens')
  expect(caps(requests)).toEqual([100, 40])
  expect(requests[1]!.body.tool_choice).toBe('none')
})

test('MAX_TOTAL_TOKENS leaves a call whatever is not read', async () => {
  const { requests } = await runWith({ MAX_TOTAL_TOKENS: '500' }, {}, says('3'))
  const tools = await countRequest({ messages: [], tools: [add] })
  expect(caps(requests)).toEqual([500 - countTokens('Add them') - tools])
})

// EVIDENCE-OF docs/configuration.md: | `MAX_TOTAL_TOKENS` |
// EVIDENCE-OF docs/reference/errors.md: The same for the cap on tokens read and generated (`MAX_TOTAL_TOKENS`)
test('MAX_TOTAL_TOKENS counts what has been read and generated so far', async () => {
  const replies = [asks(sum(), usage(100, 20)), says('3', usage(130, 5))]
  const { requests, stop } = await runWith({ MAX_TOTAL_TOKENS: '300' }, {}, ...replies)
  expect(requests[1]!.body.tool_choice).toBe('none')
  const tools = await countRequest({ messages: [], tools: [add] })
  expect(caps(requests)[1]).toBeLessThan(180 - tools)
  expect(caps(requests)[1]).toBeGreaterThan(80 - tools)
  expect(stop).toBe('max_total_tokens')
})

// EVIDENCE-OF docs/reference/errors.md: The same for the cap on tokens read and generated (`MAX_TOTAL_TOKENS`)
test('a task longer than MAX_TOTAL_TOKENS is never sent', async () => {
  const { requests, stop } = await runWith({ MAX_TOTAL_TOKENS: '2' }, {}, says('3'))
  expect(requests).toHaveLength(0)
  expect(stop).toBe('max_total_tokens')
})

// EVIDENCE-OF docs/reference/graph-rules.md: It never begins, and the run ends with an `error` that names the limit.
test('MAX_TOTAL_TOKENS: a call whose tools do not fit is never sent', async () => {
  const { requests, stop } = await runWith({ MAX_TOTAL_TOKENS: '50' }, {}, says('3'))
  expect(requests).toHaveLength(0)
  expect(stop).toBe('max_total_tokens')
})
