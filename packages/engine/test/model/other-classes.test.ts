import type { ModelEntry } from '@agent-task-service/engine'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { some } from '@agent-task-service/test-support/at-length'
import { startBackend } from '@agent-task-service/test-support/backend'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { testService, warmUp } from '@agent-task-service/test-support/service'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOllama } from '@langchain/ollama'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'

interface Refusal {
  readonly status: number
  readonly body: object
  readonly headers?: Record<string, string>
}

interface ChatClass {
  readonly name: string
  create(url: string): ModelEntry['create']
  /** "Here." as its provider streams it. */
  readonly answer: string
  /** Its end there, and others that its provider has. */
  readonly ends: readonly [string, ...string[]]
  refusal(status: number, message: string): object
}

const lines = (objects: readonly object[]) => objects.map(each => `${JSON.stringify(each)}\n`).join('')
const events = (objects: readonly { readonly type?: string }[]) =>
  objects.map(each => `${each.type ? `event: ${each.type}\n` : ''}data: ${JSON.stringify(each)}\n\n`).join('')

const CLASSES: readonly ChatClass[] = [
  {
    name: 'ChatOllama',
    create: baseUrl => cap =>
      new ChatOllama({
        model: 'm',
        baseUrl,
        maxRetries: 0,
        ...(cap.maxTokens && { numPredict: cap.maxTokens }),
      }),
    answer: lines([
      { model: 'm', message: { role: 'assistant', content: 'Here.' }, done: false },
      { model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' },
    ]),
    ends: ['stop', 'length'],
    refusal: (_status, error) => ({ error }),
  },
  {
    name: 'ChatAnthropic',
    create: anthropicApiUrl => cap =>
      new ChatAnthropic({ model: 'm', apiKey: 'any', anthropicApiUrl, maxRetries: 0, ...cap }),
    answer: events([
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [],
          usage: { input_tokens: 5, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Here.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ] as readonly { type: string }[]),
    ends: ['end_turn', 'stop_sequence', 'max_tokens', 'pause_turn', 'model_context_window_exceeded'],
    refusal: (_status, message) => ({ type: 'error', error: { type: 'some_error', message } }),
  },
  {
    name: 'ChatGoogleGenerativeAI',
    create: baseUrl => cap =>
      new ChatGoogleGenerativeAI({
        model: 'm',
        apiKey: 'any',
        baseUrl,
        maxRetries: 0,
        ...(cap.maxTokens && { maxOutputTokens: cap.maxTokens }),
      }),
    answer: events([
      {
        candidates: [
          { content: { role: 'model', parts: [{ text: 'Here.' }] }, finishReason: 'STOP', index: 0 },
        ],
      },
    ] as object[]),
    ends: ['STOP', 'MAX_TOKENS', 'FINISH_REASON_UNSPECIFIED'],
    refusal: (code, message) => ({ error: { code, message, status: 'SOME_STATUS' } }),
  },
]

const serve = (models: readonly ModelEntry[], env: Record<string, string> = {}) =>
  testService({ LOG_ERRORS: 'brief', ...env }, { models, tools: [] })
let time: FakeTime

beforeAll(warmUp)
beforeEach(() => {
  time = fakeTime()
})

/** A service whose only model refuses that often before it answers; `next` answers for it otherwise. */
async function refusing(chatClass: ChatClass, refusals: readonly Refusal[], next?: ScriptedModel) {
  const backend = await startBackend(response => {
    const refused = refusals[backend.requests.length - 1]
    const { status = 200, body = undefined, headers = {} } = refused ?? {}
    response.writeHead(status, {
      'content-type': body ? 'application/json' : 'text/event-stream',
      ...headers,
    })
    response.end(body ? JSON.stringify(body) : chatClass.answer)
  })
  const first = { name: 'first', create: chatClass.create(backend.url) }
  const { run } = await serve(next ? [first, next.named('second')] : [first])
  return { run: () => time.until(run('Say something')), backend }
}

describe.each(some(CLASSES, CLASSES.length))('$name', chatClass => {
  const refused = (status: number, message: string, headers: Record<string, string> = {}): Refusal => {
    return { status, body: chatClass.refusal(status, message), headers }
  }

  test.each([429, 503])('HTTP %i passes: it is asked again', async status => {
    const { run, backend } = await refusing(chatClass, [refused(status, 'loading', { 'retry-after': '0' })])
    expect(await run()).toMatchObject({ status: 'success', output: 'Here.' })
    expect(backend.requests).toHaveLength(2)
  })

  test.each([
    // Without its system message, it is the second request of two that the server may take.
    { status: 400, requests: 2 },
    { status: 401, requests: 1 },
  ])(
    'HTTP $status does not: the next model answers, or the caller reads why',
    async ({ status, requests }) => {
      const next = new ScriptedModel(['There.'])
      const refusals = Array(requests).fill(refused(status, 'no'))
      const { run, backend } = await refusing(chatClass, refusals, next)
      expect(await run()).toMatchObject({ status: 'success', output: 'There.' })
      expect(backend.requests).toHaveLength(requests)
      const alone = await refusing(chatClass, refusals)
      const error = expect.stringMatching(`^the model provider answered HTTP ${status}`)
      expect(await alone.run()).toMatchObject({ status: 'error', error })
    },
  )

  test('its ends are known: it is asked once more only for another', async () => {
    const [known] = chatClass.ends
    for (const end of [...chatClass.ends, 'some_other']) {
      const answer = chatClass.answer.replace(known, end)
      const backend = await startBackend(response => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer)
      })
      const { run } = await serve([{ name: 'first', create: chatClass.create(backend.url) }])
      expect(await time.until(run('Say something'))).toMatchObject({ status: 'success', output: 'Here.' })
      expect([end, backend.requests.length]).toEqual([end, end === 'some_other' ? 2 : 1])
    }
  })

  test('a refused connection: the next model answers, and the only one is waited for', async () => {
    // Nobody listens there.
    const first = { name: 'first', create: chatClass.create('http://127.0.0.1:2') }
    const both = await serve([first, new ScriptedModel(['There.']).named('second')])
    expect(await time.until(both.run('Say something'))).toMatchObject({ status: 'success', output: 'There.' })
    const alone = await serve([first], { ANSWER_BY_SEC: '20' })
    let hasFailed = false
    const reply = alone.run('Say something').finally(() => {
      hasFailed = true
    })
    await time.pass(10_000)
    // Google's class drops the cause, so that it is one of many connections that fail.
    expect(hasFailed).toBe(chatClass.name === 'ChatGoogleGenerativeAI')
    expect(await time.until(reply)).toMatchObject({
      error: 'the model provider cannot be reached or broke off its reply',
    })
  })

  test('a task too long for it', async () => {
    const tooLong = refused(400, 'prompt is too long: 208310 tokens > 200000 maximum')
    const { run } = await refusing(chatClass, [tooLong])
    expect(await run()).toMatchObject({
      status: 'error',
      error: 'the task is too long for the model: about 208,310 tokens, and it takes 200,000',
    })
  })
})

/** Why a model that meets this error is given up, and after how many seconds it is asked again if it is the only one. */
async function metBy(error: Error) {
  const { run, lines } = await serve([
    new ScriptedModel(() => error).named('first'),
    new ScriptedModel(['There.']).named('second'),
  ])
  await time.until(run('Say something'))
  const alone = await serve([new ScriptedModel([error, 'Here.']).named()])
  const { output, metrics } = await time.until(alone.run('Say something'))
  expect(output).toBe('Here.')
  return { reason: lines[0]?.reason, seconds: Math.floor(metrics.duration_sec ?? 0) }
}

test.each([
  {
    title: 'the Headers of a reply',
    response: { status: 429, headers: new Headers({ 'Retry-After': '7' }) },
  },
  {
    title: 'an object with headers, as Node and axios have it',
    response: { status: 429, headers: { 'Retry-After': '7' } },
  },
])('reads status and wait of $title', async ({ response }) => {
  const found = { reason: 'rate_limited', seconds: 7 }
  expect(await metBy(Object.assign(new Error('slow down'), { response }))).toEqual(found)
  const { status: statusCode, headers } = response
  expect(await metBy(Object.assign(new Error('slow down'), { statusCode, headers }))).toEqual(found)
})

test("reads Google's delay in its class's message, and AWS's status", async () => {
  const details = '[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]'
  const google = Object.assign(new Error(`[429 Too Many Requests] Resource exhausted ${details}`), {
    status: 429,
  })
  expect(await metBy(google)).toEqual({ reason: 'rate_limited', seconds: 34 })
  const aws = Object.assign(new Error('Too many requests'), { $metadata: { httpStatusCode: 429 } })
  expect(await metBy(aws)).toMatchObject({ reason: 'rate_limited' })
})
