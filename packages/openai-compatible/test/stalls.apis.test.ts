import { createModels } from '@agent-task-service/starter/models'
import { some } from '@agent-task-service/test-support/at-length'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { fails, says, streams } from '@agent-task-service/test-support/openai-replies'
import {
  fallbackTo,
  openAIServer,
  type Reply,
  type Script,
} from '@agent-task-service/test-support/openai-server'
import { readConfig } from '@agent-task-service/test-support/read-config'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { beforeEach, describe, expect, test } from 'vitest'

let time: FakeTime
beforeEach(() => {
  time = fakeTime()
})

/** Sends this much of a reply, then nothing. */
const silentAfter =
  (type: string, ...pieces: readonly string[]): Reply =>
  response => {
    response.writeHead(200, { 'content-type': type }).flushHeaders()
    for (const piece of pieces) response.write(piece)
  }
const chunk = (content: string) =>
  `data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"${content}"},"finish_reason":null}]}\n\n`

const event = (delta: object) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`

const stalls: { place: string; way: 'streamed' | 'whole'; reply: Reply }[] = [
  { place: 'before the headers', way: 'streamed', reply: () => {} },
  { place: 'in the body', way: 'whole', reply: silentAfter('application/json', '{"id":"c","choi') },
  {
    place: 'between chunks',
    way: 'streamed',
    reply: silentAfter('text/event-stream', chunk('Half'), chunk(' an')),
  },
]

async function serviceFor(env: Record<string, string>, way: 'streamed' | 'whole') {
  const entries = await createModels(readConfig(env).model)
  const models = entries.map(entry => ({ ...entry, stream: way === 'streamed' }))
  return await testService({ LOG_ERRORS: 'full', ...env }, { models, tools: [add] })
}

const TIMEOUT_SEC = 20
/** Share of the run's time by which the fallback is called. */
const SHARE = 0.4

describe.each(some(stalls, stalls.length))('a model that hangs $place, $way', ({ way, reply: hanging }) => {
  test('with a fallback: called once, with patience that leaves time for the fallback', async () => {
    const first = await openAIServer(() => hanging)
    const second = await openAIServer(() => says('From the second.'))
    const env = { ...first.env, RUN_TIMEOUT_SEC: `${TIMEOUT_SEC}`, ...fallbackTo(second) }
    const { run, lines } = await serviceFor(env, way)
    const reply = run('Hello')
    await first.arrival(0)
    await time.pass(TIMEOUT_SEC * SHARE * 1000)
    expect(await reply).toMatchObject({
      status: 'success',
      output: 'From the second.',
      metrics: { steps: 1 },
    })
    expect(first.requests).toHaveLength(1)
    expect(second.requests).toHaveLength(1)
    await first.requests[0]!.closed
    expect(lines.find(({ msg }) => msg === 'model given up')).toMatchObject({
      reason: 'stalled',
      next: 'second',
    })
  })

  test('without a fallback: called again, and answers', async () => {
    const server = await openAIServer((_request, index) => (index === 0 ? hanging : says('At last.')))
    const { run } = await serviceFor({ ...server.env, MODEL_PATIENCE_SEC: '3' }, way)
    const reply = run('Hello')
    await time.until(server.arrival(1))
    expect(await reply).toMatchObject({ status: 'success', output: 'At last.', metrics: { steps: 1 } })
    expect(server.requests).toHaveLength(2)
    await server.requests[0]!.closed
  })

  test('without a fallback, forever: called again and again until the deadline', async () => {
    const server = await openAIServer(() => hanging)
    const env = { ...server.env, MODEL_PATIENCE_SEC: '2', RUN_TIMEOUT_SEC: '30' }
    const { run, lines } = await serviceFor(env, way)
    expect(await time.until(run('Hello'))).toMatchObject({
      status: 'timeout',
      error: 'the time limit of 30 s was reached',
      metrics: { steps: 1 },
    })
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'model given up',
        reason: 'stalled',
        model: 'first-model',
      }),
    )
    expect(server.requests.length).toBeGreaterThanOrEqual(2)
    for (const { closed } of server.requests) await closed
  })
})

test('past the soft deadline, a silent call is ended, and the answer requested, once', async () => {
  const script: Script = ({ body }) => (body.tools ? () => {} : says('What is known.'))
  const server = await openAIServer(script)
  const env = { ...server.env, ANSWER_BY_SEC: '10', MODEL_PATIENCE_SEC: '15' }
  const { run, lines } = await serviceFor(env, 'streamed')
  const reply = run('Hello')
  await time.until(server.arrival(1))
  expect(await reply).toMatchObject({ status: 'success', output: 'What is known.' })
  expect(server.requests.map(({ body }) => body.messages[0]!.content)).toEqual([
    expect.not.stringContaining('answer now'),
    expect.stringContaining('No tool can be called any more: answer now'),
  ])
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ stop: 'soft_deadline' })
})

/** Streams something every half second, without end or this often. */
const drips =
  (make: (n: number) => string, count = Number.POSITIVE_INFINITY, end = ''): Reply =>
  response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let n = 0
    const drip = setInterval(() => {
      if (n < count) return void response.write(make(n++))
      clearInterval(drip)
      response.end(end)
    }, 500)
    response.on('close', () => clearInterval(drip))
  }

test('reasoning and pieces of a tool call are progress; spaces and comments are not', async () => {
  const finish = (reason: string) =>
    `data: {"choices":[{"index":0,"delta":{},"finish_reason":"${reason}"}]}\n\ndata: [DONE]\n\n`
  const args = ['', '{"a"', ':', '1', ',', '"b"', ':', '2', '}']
  const calls = drips(
    n => {
      const [id, name] = n === 0 ? ['call_1', 'add'] : []
      return event({ tool_calls: [{ index: 0, id, function: { name, arguments: args[n] } }] })
    },
    args.length,
    finish('tool_calls'),
  )
  const thinks = drips(
    n => event({ reasoning_content: `${n}` }),
    12,
    `${event({ content: '3' })}${finish('stop')}`,
  )
  const empty = drips(n => (n % 2 ? event({ content: ' ' }) : ': keep-alive\n\n'))
  const replies = [calls, empty, thinks]
  const server = await openAIServer((_request, index) => replies[index] ?? streams(['never'], 'stop'))
  const { run } = await serviceFor({ ...server.env, MODEL_PATIENCE_SEC: '4' }, 'streamed')
  expect(await time.until(run('Add'))).toMatchObject({
    status: 'success',
    output: expect.stringMatching(/3$/),
    metrics: { steps: 3 },
  })
  expect(server.requests).toHaveLength(3)
})

// EVIDENCE-OF docs/configuration.md: | `MODEL_PATIENCE_SEC` |
// EVIDENCE-OF docs/configuration.md: | `FALLBACK_PATIENCE_SEC` |
// EVIDENCE-OF docs/reference/graph-rules.md: Make it longer for one that thinks silently.
test('each model has its own patience: one may think longer than the other', async () => {
  const slow: Reply = (response, request) =>
    void setTimeout(() => says('Well thought.')(response, request), 7_000)
  const first = await openAIServer(() => () => {})
  const second = await openAIServer(() => slow)
  const { run } = await serviceFor(
    {
      ...first.env,
      MODEL_PATIENCE_SEC: '2',
      ...fallbackTo(second, 'thinker'),
      FALLBACK_PATIENCE_SEC: '20',
    },
    'streamed',
  )
  expect(await time.until(run('Hello'))).toMatchObject({ status: 'success', output: 'Well thought.' })
  expect(second.requests).toHaveLength(1)
})

test.each<{ title: string; way: Reply }>([
  {
    title: 'is busy',
    way: (response, request) => void setTimeout(() => fails(503)(response, request), 6_000),
  },
  {
    title: 'breaks off after its first token',
    way: response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk('Half'))
      setTimeout(() => response.socket?.resetAndDestroy(), 6_000)
    },
  },
])('a model that $title, late each time, is tried again only while there is time', async ({ way }) => {
  const first = await openAIServer(() => way)
  const second = await openAIServer(() => says('From the second.'))
  const env = { ...first.env, RUN_TIMEOUT_SEC: '50', ...fallbackTo(second) }
  const { run } = await serviceFor(env, 'streamed')
  expect(await time.until(run('Hello'))).toMatchObject({ status: 'success', output: 'From the second.' })
  expect(first.requests.length).toBeLessThanOrEqual(2)
})

test.each([
  { title: 'in its own member', thought: event({ reasoning_content: 'hm ' }), fallback: false },
  { title: 'between tags', thought: event({ content: '<think>hm ' }), fallback: false },
  { title: 'with a fallback', thought: event({ reasoning_content: 'hm ' }), fallback: true },
])(
  'a model that reasons without end, $title: an answer is asked for in time',
  async ({ thought, fallback }) => {
    const reasons = drips(n => (n === 0 ? thought : thought.replace('<think>', '')))
    const answers = says('What is known.')
    const first = await openAIServer(({ body }) => (fallback || body.tools ? reasons : answers))
    const second = await openAIServer(() => answers)
    const env = { ...first.env, ANSWER_BY_SEC: '15', RUN_TIMEOUT_SEC: '60' }
    const { run } = await serviceFor({ ...env, ...(fallback && fallbackTo(second)) }, 'streamed')
    expect(await time.until(run('Hello'))).toMatchObject({ status: 'success', output: 'What is known.' })
    expect(first.requests).toHaveLength(fallback ? 1 : 2)
    await first.requests[0]!.closed
  },
)
