import { createModels } from '@agent-task-service/test-support/agent/models'
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
import { describe, expect, test } from 'vitest'

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

// The timers of a busy machine fire seconds late.
const TIMEOUT_SEC = 20
/** Share of the run's time by which the fallback has answered. */
const SHARE = 0.4

describe.concurrent.each(stalls)('a model that hangs $place, $way', ({ way, reply: hanging }) => {
  test('with a fallback: called once, with patience that leaves time for the fallback', async () => {
    const first = await openAIServer(() => hanging)
    const second = await openAIServer(() => says('From the second.'))
    const { run, lines } = await serviceFor(
      {
        ...first.env,
        RUN_TIMEOUT_SEC: `${TIMEOUT_SEC}`,
        ...fallbackTo(second),
      },
      way,
    )
    expect(await run('Hello')).toMatchObject({
      status: 'success',
      output: 'From the second.',
      metrics: { steps: 1 },
    })
    expect(first.requests).toHaveLength(1)
    expect(second.requests).toHaveLength(1)
    await first.requests[0]!.closed
    const line = lines.find(({ msg }) => msg === 'model given up')
    expect(line).toMatchObject({ reason: 'stalled', next: 'second' })
    const [, patience] = /no progress for ([\d.]+) s/.exec(JSON.stringify(line?.err)) ?? []
    expect(Number(patience)).toBeLessThanOrEqual(TIMEOUT_SEC * SHARE)
  })

  test('without a fallback: called again, and answers', async () => {
    const server = await openAIServer((_request, index) => (index === 0 ? hanging : says('At last.')))
    const { run } = await serviceFor({ ...server.env, MODEL_PATIENCE_SEC: '0.3' }, way)
    expect(await run('Hello')).toMatchObject({ status: 'success', output: 'At last.', metrics: { steps: 1 } })
    expect(server.requests).toHaveLength(2)
    await server.requests[0]!.closed
  })

  test('without a fallback, forever: called again and again until the deadline', async () => {
    const server = await openAIServer(() => hanging)
    const env = { ...server.env, MODEL_PATIENCE_SEC: '0.2', RUN_TIMEOUT_SEC: '10' }
    const { run, lines } = await serviceFor(env, way)
    expect(await run('Hello')).toMatchObject({
      status: 'timeout',
      error: 'the time limit of 10 s was reached',
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

describe.concurrent('past the soft deadline', () => {
  const env = { ANSWER_BY_SEC: '1', MODEL_PATIENCE_SEC: '1.5' }
  const NOTICE = expect.stringContaining('No tool can be called any more: answer now')

  test('a silent call is ended, and the answer requested, once', async () => {
    const script: Script = ({ body }) => (body.tools ? () => {} : says('What is known.'))
    const server = await openAIServer(script)
    const { run, lines } = await serviceFor({ ...server.env, ...env }, 'streamed')
    expect(await run('Hello')).toMatchObject({ status: 'success', output: 'What is known.' })
    expect(server.requests.map(({ body }) => body.messages[0]!.content)).toEqual([
      expect.not.stringContaining('answer now'),
      NOTICE,
    ])
    expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ stop: 'soft_deadline' })
  })

  test('reasoning and pieces of a tool call are progress; spaces and comments are not', async () => {
    const drips =
      (make: (n: number) => string, count: number, end: string): Reply =>
      response => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        let n = 0
        const drip = setInterval(() => {
          if (n < count) return void response.write(make(n++))
          clearInterval(drip)
          response.end(end)
        }, 50)
        response.on('close', () => clearInterval(drip))
      }
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
    const empty = drips(n => (n % 2 ? event({ content: ' ' }) : ': keep-alive\n\n'), 200, finish('stop'))
    const replies = [calls, empty, thinks]
    const server = await openAIServer((_request, index) => replies[index] ?? streams(['never'], 'stop'))
    const { run } = await serviceFor({ ...server.env, MODEL_PATIENCE_SEC: '0.4' }, 'streamed')
    expect(await run('Add')).toMatchObject({
      status: 'success',
      output: expect.stringMatching(/3$/),
      metrics: { steps: 3 },
    })
    expect(server.requests).toHaveLength(3)
  })
})

test('each model has its own patience: one may think longer than the other', async () => {
  const slow: Reply = (response, request) =>
    void setTimeout(() => says('Well thought.')(response, request), 700)
  const first = await openAIServer(() => () => {})
  const second = await openAIServer(() => slow)
  const { run } = await serviceFor(
    {
      ...first.env,
      MODEL_PATIENCE_SEC: '0.2',
      ...fallbackTo(second, 'thinker'),
      FALLBACK_PATIENCE_SEC: '20',
    },
    'streamed',
  )
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Well thought.' })
  expect(second.requests).toHaveLength(1)
})

test.concurrent.each<{ title: string; way: Reply }>([
  {
    title: 'is busy',
    way: (response, request) => void setTimeout(() => fails(503)(response, request), 600),
  },
  {
    title: 'breaks off after its first token',
    way: response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk('Half'))
      setTimeout(() => response.socket?.resetAndDestroy(), 600)
    },
  },
])('a model that $title, late each time, is tried again only while there is time', async ({ way }) => {
  const first = await openAIServer(() => way)
  const second = await openAIServer(() => says('From the second.'))
  const { run } = await serviceFor(
    {
      ...first.env,
      RUN_TIMEOUT_SEC: '5',
      ...fallbackTo(second),
    },
    'streamed',
  )
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'From the second.' })
  expect(first.requests.length).toBeLessThanOrEqual(2)
})

test.concurrent.each([
  { title: 'in its own member', thought: event({ reasoning_content: 'hm ' }), fallback: false },
  { title: 'between tags', thought: event({ content: '<think>hm ' }), fallback: false },
  { title: 'with a fallback', thought: event({ reasoning_content: 'hm ' }), fallback: true },
])(
  'a model that reasons without end, $title: an answer is asked for in time',
  async ({ thought, fallback }) => {
    const reasons: Reply = response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(thought)
      const drip = setInterval(() => response.write(thought.replace('<think>', '')), 50)
      response.on('close', () => clearInterval(drip))
    }
    const answers = says('What is known.')
    const first = await openAIServer(({ body }) => (fallback || body.tools ? reasons : answers))
    const second = await openAIServer(() => answers)
    const { run } = await serviceFor(
      {
        ...first.env,
        ANSWER_BY_SEC: '1.5',
        RUN_TIMEOUT_SEC: '6',
        ...(fallback && fallbackTo(second)),
      },
      'streamed',
    )
    expect(await run('Hello')).toMatchObject({ status: 'success', output: 'What is known.' })
    expect(first.requests).toHaveLength(fallback ? 1 : 2)
    await first.requests[0]!.closed
  },
)
