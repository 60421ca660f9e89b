import type { ServerResponse } from 'node:http'
import { ScriptedModel, testService as serviceOf } from '@agent-task-service/engine/testing'
import { countRequest } from '@agent-task-service/engine/tokens'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { arrivalOf } from '@agent-task-service/test-support/arrival'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { asks, call, hangs, says, stalls } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply, type Script } from '@agent-task-service/test-support/openai-server'
import { overResponses } from '@agent-task-service/test-support/over-responses'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { type TestService, testService } from '@agent-task-service/test-support/service'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const SYSTEM = 'Be the agent.'
const TASK = 'Count the stars, please'
const idle = tool('idle', () => 'idle')
const TEXTS = countTokens(SYSTEM) + countTokens(TASK)
const READ = TEXTS + (await countRequest({ messages: [], tools: [idle] }))
const env = { SYSTEM_PROMPT: SYSTEM, RUN_TIMEOUT_SEC: '1' }

const unhandled: unknown[] = []
const onUnhandled = (reason: unknown) => void unhandled.push(reason)
const turn = () => new Promise(resolve => setImmediate(resolve))

const trickles: Reply = response => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const drip = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(drip))
}

async function serve(script: Script, tools = [idle]) {
  const server = await openAIServer(script)
  return { server, service: await testService({ ...server.env, ...env }, { tools }) }
}

/** The reply to the task, whose second passes once this has happened. */
async function replyAfter(service: TestService, event: (time: FakeTime) => Promise<unknown>) {
  const time = fakeTime()
  const reply = service.run(TASK)
  await event(time)
  await time.pass(1_000)
  return await reply
}

beforeAll(() => void process.on('unhandledRejection', onUnhandled))
afterAll(async () => {
  await turn()
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled).toEqual([])
})

const TIMED_OUT = {
  task_id: 'test-1',
  status: 'timeout',
  output: '',
  error: 'the time limit of 1 s was reached',
}

describe('the hard deadline', () => {
  // EVIDENCE-OF docs/configuration.md: | `RUN_TIMEOUT_SEC` |
  // EVIDENCE-OF docs/reference/errors.md: A run that failed or timed out gets status 200 and says so in `status`. 4xx and 5xx mean
  //   infrastructure: the request never became a run.
  test.each([
    { title: 'that never answers', hanging: hangs },
    { title: 'that stalls in the middle of a body', hanging: stalls },
    { title: 'that sends a body a space at a time', hanging: trickles },
  ])('ends a call to a server $title, closes its socket, counts what it read', async ({ hanging }) => {
    const { server, service } = await serve(inTurn(hanging))
    expect(await replyAfter(service, () => server.arrival(0))).toEqual({
      ...TIMED_OUT,
      metrics: { duration_sec: 1, input_tokens: READ, output_tokens: 0, steps: 1 },
    })
    expect(service.lines).toMatchObject([
      { level: 'warn', msg: 'model given up', reason: 'stalled' },
      { status: 'timeout', stop: 'deadline', model: 'first-model', input_tokens: READ, steps: 1 },
    ])
    await server.requests[0]!.closed
  })

  test('counts earlier calls as reported, the unanswered one by the tokenizer', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 100 }
    const { server, service } = await serve(inTurn(asks([call('idle', {})], { usage }), hangs))
    const reply = await replyAfter(service, () => server.arrival(1))
    expect(reply).toMatchObject(TIMED_OUT)
    const asked = countTokens('[{"name":"idle","args":{}}]')
    expect(reply.metrics).toMatchObject({
      input_tokens: 1000 + READ + asked + countTokens('idle'),
      output_tokens: 100,
      steps: 3,
    })
  })

  // EVIDENCE-OF docs/reference/errors.md: `RUN_TIMEOUT_SEC` was reached; `output` has the text so far, from finished turns and the open
  //   one
  test('returns the text of earlier turns, kept apart, and nothing from a failed try', async () => {
    const toolCalls = [{ name: 'idle' }]
    const model = new ScriptedModel([
      { text: 'First I look.', toolCalls },
      { toolCalls },
      { pieces: ['Void'], error: new SyntaxError('no JSON') },
      { text: 'Then I look again.\n', toolCalls },
      { pieces: ['So it', ' is'], after: new Promise(() => {}) },
    ])
    const service = await testService(env, { models: [model.named()], tools: [idle] })
    const { status, output } = await replyAfter(service, async time => {
      await model.asked(3)
      await time.until(model.asked(4))
      await model.asked(5)
    })
    expect({ status, output }).toEqual({
      status: 'timeout',
      output: 'First I look.\n\nThen I look again.\n\nSo it is',
    })
  })

  // EVIDENCE-OF docs/guides/graph.md: Many community tools ignore the signal.
  // EVIDENCE-OF docs/reference/graph-rules.md: The reply does not wait for work that ignores it.
  // EVIDENCE-OF docs/reference/tool-rules.md: A tool that ignores it is abandoned and its result dropped
  test('does not wait for a tool that ignores the signal; drops its late result', async () => {
    const late = Promise.withResolvers<string>()
    const given = Promise.withResolvers<AbortSignal>()
    const deaf = tool('deaf', (_args, { signal }) => {
      given.resolve(signal)
      return late.promise
    })
    const { server, service } = await serve(inTurn(asks([call('deaf', {})]), says('Too late.')), [deaf])
    const reply = await replyAfter(service, () => given.promise)
    expect(reply).toMatchObject({ ...TIMED_OUT, metrics: { steps: 2 } })
    expect((await given.promise).aborted).toBe(true)
    late.resolve('at last')
    await turn()
    expect(server.requests).toHaveLength(1)
    expect(service.lines).toHaveLength(1)
  })

  test('is unaffected by tools that fail after it', async () => {
    const late = Promise.withResolvers<string>()
    const deaf = tool('deaf', () => late.promise)
    const called = Promise.withResolvers<void>()
    const obedient = tool('obedient', (_args, { signal }) => {
      called.resolve()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const script = inTurn(asks([call('deaf', {}), call('obedient', {})]))
    const { service } = await serve(script, [deaf, obedient])
    const reply = await replyAfter(service, () => called.promise)
    expect(reply).toMatchObject({ ...TIMED_OUT, metrics: { steps: 3 } })
    late.reject(new Error('at last, and in vain'))
    await turn()
    expect(service.lines).toMatchObject([{ stop: 'deadline', tools: ['deaf', 'obedient'] }])
  })

  // EVIDENCE-OF docs/reference/errors.md: `RUN_TIMEOUT_SEC` was reached; `output` has the text so far, from finished turns and the open
  //   one
  // EVIDENCE-OF docs/reference/graph-rules.md: At the deadline it is `timeout`, with the models' text so far
  test('returns the text so far, and counts it', async () => {
    const model = new ScriptedModel([{ pieces: ['One, two', ', many'], after: new Promise(() => {}) }])
    const service = await testService(env, { models: [model.named()] })
    const output_tokens = countTokens('One, two, many')
    expect(await replyAfter(service, () => model.asked(1))).toMatchObject({
      ...TIMED_OUT,
      output: 'One, two, many',
      metrics: { input_tokens: TEXTS, output_tokens },
    })
  })

  test.each(['chat', 'responses'] as const)('returns what had just arrived over %s', async api => {
    const begun = Promise.withResolvers<ServerResponse>()
    const { server } = await serve(() => response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      begun.resolve(api === 'responses' ? overResponses(response) : response)
    })
    const service = await testService({ ...server.env, ...env, OPENAI_API: api }, { tools: [idle] })
    const reply = await replyAfter(service, async time => {
      const response = await begun.promise
      const arrival = arrivalOf(response)
      const say = async (text: string) => {
        const event = { choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }
        response.write(`data: ${JSON.stringify(event)}\n\n`)
        await arrival.all()
        await time.pass(0)
      }
      await say('One,')
      await time.pass(985)
      await say(' two,')
      await say(' many')
      await time.pass(5)
    })
    expect(reply).toMatchObject({ ...TIMED_OUT, output: 'One, two, many' })
  })

  // EVIDENCE-OF docs/reference/graph-rules.md: If the model falls silent, the run waits until its end
  test("waits once for a model of the node's own that falls silent, until it ends the run", async () => {
    const server = await openAIServer(() => hangs)
    const configuration = { baseURL: server.env.OPENAI_BASE_URL }
    const own = new ChatOpenAI({ model: 'own', apiKey: 'k', maxRetries: 0, configuration })
    const graph = () =>
      new StateGraph(MessagesAnnotation)
        .addNode('own', async ({ messages }, config) => ({ messages: [await own.invoke(messages, config)] }))
        .addEdge(START, 'own')
        .compile()
    const service = await serviceOf({ ...agent, graph }, { env: { ...env, MODEL_PATIENCE_SEC: '0.2' } })
    const reply = await replyAfter(service, () => server.arrival(0))
    expect(reply).toMatchObject({ ...TIMED_OUT, metrics: { steps: 1 } })
    expect(server.requests).toHaveLength(1)
  })
})
