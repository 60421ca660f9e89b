import type { ModelEntry } from '@agent-task-service/engine'
import { listen } from '@agent-task-service/engine/server'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { some } from '@agent-task-service/test-support/at-length'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import {
  asks,
  call,
  fails,
  json,
  PROVIDER_TEXT,
  resets,
  says,
} from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService, warmUp } from '@agent-task-service/test-support/service'
import { ChatOpenAI } from '@langchain/openai'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'

/** Fails, and asks for an immediate retry. */
const busy = (status = 503) => fails(status, undefined, { 'retry-after': '0' })
const BOTH = { FALLBACK_MODEL: 'second-model' }
/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:2/v1'
let time: FakeTime

beforeAll(warmUp)
beforeEach(() => {
  time = fakeTime()
})

async function runReplies(replies: readonly Reply[], env: Record<string, string> = {}) {
  const server = await openAIServer(inTurn(...replies))
  const service = await testService({ ...server.env, LOG_ERRORS: 'brief', ...env }, { tools: [add] })
  const reply = await time.until(service.run('Say something'))
  // Every reply was requested, and no more.
  expect(server.requests).toHaveLength(replies.length)
  for (const shown of [reply, service.lines]) {
    expect(JSON.stringify(shown)).not.toMatch(/flux capacitor|org-4711|sk-proj|sk_live|Rk7dWq92LmZx04TbVn/)
  }
  const line = service.lines.find(({ msg }) => msg === 'run')
  return { reply, line, models: server.requests.map(({ body }) => body.model) }
}

/** Breaks off in the middle of a body of declared length. */
const breaksOff: Reply = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"choices":[', () => response.socket?.resetAndDestroy())
}

// EVIDENCE-OF docs/reference/graph-rules.md: Further entries are fallbacks, of any class.
test("leaves another provider's unreachable client for the next model too", async () => {
  const configuration = { baseURL: NOWHERE }
  const create: ModelEntry['create'] = cap =>
    new ChatOpenAI({ model: 'unreachable', apiKey: 'any', maxRetries: 0, configuration, ...cap })
  const second = new ScriptedModel(['From the second.'])
  const models = [{ name: 'first', create }, second.named('second')]
  const { run, lines } = await testService({}, { models })
  expect(await time.until(run('Hello'))).toMatchObject({ status: 'success', output: 'From the second.' })
  expect(lines).toMatchObject([
    { msg: 'model given up', model: 'first' },
    { model: 'second', steps: 1 },
  ])
})

describe('after a short wait, the model is called again for', () => {
  test.each([
    { title: 'HTTP 429 without Retry-After', trouble: fails(429, 'rate_limit_exceeded') },
    { title: 'a Retry-After below zero', trouble: fails(503, undefined, { 'retry-after': '-5' }) },
    { title: 'a meaningless Retry-After', trouble: fails(503, undefined, { 'retry-after': 'soon' }) },
    { title: 'a connection reset', trouble: resets },
    { title: 'a body that breaks off', trouble: breaksOff },
    { title: 'an answer that ended in an error', trouble: says('Half an ans', { finish: 'error' }) },
    { title: 'malformed JSON', trouble: json('{"choices": [{"message": ') },
  ])('$title', async ({ trouble }) => {
    const { reply } = await runReplies([trouble, says('Here.')])
    expect(reply).toMatchObject({ status: 'success', output: 'Here.', metrics: { steps: 1 } })
  })

  test.each<Record<string, string>>([
    { 'retry-after': '1' },
    { 'retry-after-ms': '1000', 'retry-after': '600' },
    { 'x-ratelimit-reset': '1' },
  ])('%o, no sooner', async headers => {
    const { reply } = await runReplies([fails(429, undefined, headers), says('Here.')])
    expect(reply).toMatchObject({ status: 'success', output: 'Here.' })
    expect((reply.metrics as { duration_sec: number }).duration_sec).toBeGreaterThanOrEqual(0.99)
  })
})

test.each(some([408, 409, 425, 429, 500, 502, 503, 504, 529], 5))(
  'retries HTTP %i, which may pass',
  async status => {
    expect((await runReplies([busy(status), says('Here.')])).reply).toMatchObject({ output: 'Here.' })
  },
)

// EVIDENCE-OF docs/reference/errors.md: Every try failed: the model provider could not be reached, was overloaded or sent nothing usable
test('four tries of a broken server, and no more', async () => {
  const { reply, line } = await runReplies([busy(500), busy(500), busy(500), busy(500)])
  expect(reply).toEqual({
    task_id: 'test-1',
    status: 'error',
    output: '',
    metrics: {},
    error: 'the model provider answered HTTP 500',
  })
  expect(line).toMatchObject({ stop: 'model_unavailable', model: 'first-model', steps: 1 })
})

test('a draining service does not wait for a model to come back', async () => {
  const server = await openAIServer(() => busy())
  const service = await testService({ ...server.env, LOG_ERRORS: 'brief' }, { tools: [add] })
  const { drain } = await listen(service, { port: 0, hostname: '127.0.0.1' })
  const reply = service.run('Say something')
  // More tries than other errors get.
  await time.until(server.arrival(4))
  await time.until(drain(10_000))
  expect(await reply).toMatchObject({ status: 'error', error: 'the model provider answered HTTP 503' })
})

test.each([
  { name: 'retry-after', wait: '2', timeout: '1' },
  { name: 'retry-after', wait: new Date(Date.now() + 600_000).toUTCString(), timeout: '110' },
  { name: 'retry-after-ms', wait: '600000', timeout: '110' },
  { name: 'x-ratelimit-reset', wait: `${Math.ceil(Date.now() / 1000) + 600}`, timeout: '110' },
  { name: 'x-ratelimit-reset', wait: `${Date.now() + 600_000}`, timeout: '110' },
])('$name: $wait exceeds a limit of $timeout s, so nobody waits for it', async ({ name, wait, timeout }) => {
  const away = fails(429, 'rate_limit_exceeded', { [name]: wait })
  const env = { RUN_TIMEOUT_SEC: timeout }
  expect((await runReplies([away], env)).reply).toMatchObject({
    status: 'error',
    error: 'the model provider answered HTTP 429 (rate_limit_exceeded)',
  })
  expect((await runReplies([away, says('Here.')], { ...env, ...BOTH })).reply).toMatchObject({
    output: 'Here.',
  })
})

test("Gemini's retryDelay is a Retry-After", async () => {
  const retryInfo = (retryDelay: string) => ({
    error: {
      code: 429,
      message: 'You exceeded your current quota, please check your plan and billing details.',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
    },
  })
  const away = json([retryInfo('600s')], 429)
  expect((await runReplies([away])).reply).toMatchObject({ status: 'error' })
  const short = json([retryInfo('0.01s')], 429)
  const { reply } = await runReplies([short, short, short, says('Here.')])
  expect(reply).toMatchObject({ output: 'Here.' })
})

test('reports an unreachable server as such, without its address', async () => {
  const nowhere = { OPENAI_API_KEY: 'any-key-will-do', OPENAI_BASE_URL: NOWHERE }
  const { run, lines } = await testService({ ...nowhere, LOG_ERRORS: 'brief', ...BOTH })
  const reply = await time.until(run('Hello'))
  expect(reply).toMatchObject({ error: 'the model provider cannot be reached or broke off its reply' })
  expect(JSON.stringify([reply, lines])).not.toContain('127.0.0.1')
})

// EVIDENCE-OF docs/configuration.md: | `MODEL` |
// EVIDENCE-OF docs/reference/errors.md: The model provider refused the request: wrong key, unknown model, spent quota, a tool that
//   `enabled_tools` names
test.each([
  { status: 400, code: undefined, error: 'HTTP 400', tries: 4 },
  { status: 401, code: 'invalid_api_key', error: 'HTTP 401 (invalid_api_key)' },
  { status: 403, code: undefined, error: 'HTTP 403' },
  { status: 404, code: 'model_not_found', error: 'HTTP 404 (model_not_found)' },
  { status: 429, code: 'insufficient_quota', error: 'HTTP 429 (insufficient_quota)' },
  { status: 400, code: `${PROVIDER_TEXT} as a code`, error: 'HTTP 400', tries: 4 },
  { status: 400, code: 'sk_live_abcdefghijklmnopqrstuvwx', error: 'HTTP 400 ([redacted])', tries: 4 },
])(
  'HTTP $status with code $code does not pass: one try, then the other model',
  async ({ status, code, error, tries = 1 }) => {
    // Without a word about the reason: without a system message, with plain tools, without any.
    const refused = Array.from({ length: tries }, () => fails(status, code, { 'retry-after': '0' }))
    const { reply, line } = await runReplies(refused)
    expect(reply).toMatchObject({ status: 'error', error: `the model provider answered ${error}` })
    expect(line).toMatchObject({ stop: 'model_rejected', model: 'first-model', err: { status } })
    const { reply: second, models } = await runReplies([...refused, says('Here.')], BOTH)
    expect(second).toMatchObject({ status: 'success', output: 'Here.' })
    expect(models).toEqual([...refused.map(() => 'first-model'), 'second-model'])
  },
)

// EVIDENCE-OF docs/configuration.md: | `FALLBACK_MODEL` |
test('retries the fallback model too; with both down, reports the last status', async () => {
  const replies = [503, 503, 503, 503, 500, 500, 500, 500].map(busy)
  const { reply, line, models } = await runReplies(replies, BOTH)
  expect(reply).toMatchObject({ status: 'error', error: 'the model provider answered HTTP 500' })
  expect(models).toEqual([...Array(4).fill('first-model'), ...Array(4).fill('second-model')])
  expect(line).toMatchObject({ stop: 'model_unavailable', model: 'second-model' })
})

test('a model that was given up is not called again in the same run', async () => {
  const waitLong = fails(503, 'overloaded', { 'retry-after': '30' })
  const replies = [waitLong, asks([call('add', '{"a":1,"b":1}')]), says('Two.')]
  const { reply, line, models } = await runReplies(replies, BOTH)
  expect(reply).toMatchObject({ status: 'success', output: 'Two.' })
  expect(models).toEqual(['first-model', 'second-model', 'second-model'])
  expect(line).toMatchObject({ model: 'second-model', steps: 3 })
})

test.each([
  { interim: 8, requests: 1 },
  { interim: 9, requests: 2 },
])('a reply behind $interim interim replies takes $requests requests', async ({ interim, requests }) => {
  const hinted: Reply = (response, request) => {
    for (let n = 0; n < interim; n += 1) response.writeProcessing()
    says('Hi.')(response, request)
  }
  const { reply } = await runReplies([hinted, says('Hi.')].slice(0, requests))
  expect(reply).toMatchObject({ status: 'success', output: 'Hi.' })
})
