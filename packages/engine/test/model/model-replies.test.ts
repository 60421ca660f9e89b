import { gzipSync } from 'node:zlib'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { asks, call, json, says, type WireCall } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService, warmUp } from '@agent-task-service/test-support/service'
import { beforeAll, expect, test } from 'vitest'

beforeAll(warmUp)

/** Another reply, encoded. */
function encoded(reply: Reply, encoding: string, encode: (text: string) => Buffer): Reply {
  return (response, request) => {
    const end = response.end.bind(response) as (body: Buffer) => typeof response
    response.setHeader('content-encoding', encoding)
    response.end = ((text: string) => end(encode(text))) as typeof response.end
    reply(response, request)
  }
}

test('reads a compressed reply', async () => {
  const server = await openAIServer(inTurn(encoded(says('Small.'), 'gzip', gzipSync)))
  const { run } = await testService(server.env)
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Small.' })
  expect(server.requests[0]!.headers['accept-encoding']).toContain('gzip')
})

// EVIDENCE-OF docs/reference/threat-model.md: Redirects to another origin are refused, replies are limited to 16 MiB, each reply is checked,
//   and provider errors are never quoted
test('does not unpack a small reply that would fill the memory, and does not retry it', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, ' '))
  const server = await openAIServer(inTurn(encoded(says('x'), 'gzip', () => bomb)))
  const { run } = await testService(server.env)
  expect(await run('Hello')).toMatchObject({
    status: 'error',
    error: 'the model provider sent an unusable reply',
  })
  expect(server.requests).toHaveLength(1)
})

// EVIDENCE-OF docs/reference/threat-model.md: Redirects to another origin are refused, replies are limited to 16 MiB, each reply is checked,
//   and provider errors are never quoted
test.each([
  { mib: 15, status: 'success' },
  { mib: 17, status: 'error' },
])('a reply of $mib MiB ends in $status', async ({ mib, status }) => {
  const message = { role: 'assistant', content: 'Hi.' }
  const reply = {
    padding: 'x'.repeat(mib * 2 ** 20),
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  }
  const server = await openAIServer(inTurn(json(reply)))
  const { run } = await testService(server.env)
  expect(await run('Hello')).toMatchObject({ status })
})

test('consecutive calls share a connection', async () => {
  const closed = new Set<Promise<void>>()
  const server = await openAIServer(request => {
    closed.add(request.closed)
    return says('Hello.')
  })
  const { run } = await testService(server.env)
  for (let call = 0; call < 3; call += 1) await run('Hello')
  expect(closed.size).toBe(1)
})

const chunk = (choice: object, rest: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }], ...rest })}\n\n`
const USAGE = { usage: { prompt_tokens: 3, completion_tokens: 2 } }

/** Sends a reply and keeps the connection open. */
const open =
  (...events: readonly string[]): Reply =>
  response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(events.join(''))
  }

test.each<{ title: string; reply: Reply; output?: string }>([
  { title: '[DONE], then nothing', reply: open(chunk({ delta: { content: 'All.' } }), 'data: [DONE]\n\n') },
  {
    title: 'a finish reason and usage, then nothing',
    reply: open(chunk({ delta: { content: 'All.' }, finish_reason: 'stop' }, USAGE)),
  },
  {
    title: '[DONE], then a reset',
    reply: response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`${chunk({ delta: { content: 'All.' } })}data: [DONE]\n\n`, () =>
        setTimeout(() => response.socket?.resetAndDestroy(), 50),
      )
    },
  },
  {
    title: 'a character that comes in two halves',
    reply: response => {
      const said = chunk({ delta: { content: 'Ü.' }, finish_reason: 'stop' })
      const bytes = Buffer.from(`${said}data: [DONE]\n\n`)
      const middle = bytes.indexOf('Ü') + 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(bytes.subarray(0, middle), () =>
        setTimeout(() => response.end(bytes.subarray(middle)), 20),
      )
    },
    output: 'Ü.',
  },
  {
    title: 'a message beside an empty delta',
    reply: json({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'All.' },
          delta: { role: 'assistant', content: '' },
          finish_reason: 'stop',
        },
      ],
    }),
  },
  {
    title: 'the message so far beside each delta',
    reply: (response, request) =>
      open(
        chunk({ delta: { content: 'Al' }, message: { content: 'Al' } }),
        chunk({ delta: { content: 'l.' }, message: { content: 'All.' } }),
        chunk({ delta: { content: '' }, message: { content: 'All.' }, finish_reason: 'stop' }, USAGE),
      )(response, request),
  },
  { title: 'content that is an object', reply: says({ total: 3 }), output: '{"total":3}' },
])('is read at once, as one answer: $title', async ({ reply, output = 'All.' }) => {
  const time = fakeTime()
  const server = await openAIServer(inTurn(reply))
  const { run } = await testService({ ...server.env, RUN_TIMEOUT_SEC: '10' })
  expect(await time.until(run('Hello'))).toMatchObject({ status: 'success', output, metrics: { steps: 1 } })
  expect(server.requests).toHaveLength(1)
})

const PAGE = '<!doctype html><title>502 Bad Gateway</title>'
const usage = { prompt_tokens: 30, completion_tokens: 5 }
/** A turn whose calls are none. */
const odd = (calls: unknown) => asks(calls as WireCall[], { usage })
const TWICE = { input_tokens: 60, output_tokens: 10 }

// EVIDENCE-OF docs/reference/threat-model.md: Redirects to another origin are refused, replies are limited to 16 MiB, each reply is checked,
//   and provider errors are never quoted
test.each<{ title: string; none: Reply; metrics?: object }>([
  { title: 'no choices', none: json({ choices: [] }) },
  { title: 'an error with status 200', none: json({ error: { message: 'overloaded' } }) },
  { title: 'a web page with status 200', none: json(PAGE, 200, { 'content-type': 'text/html' }) },
  { title: 'JSON null', none: json('null') },
  { title: 'content that is a number', none: says(42) },
  { title: 'a text part without text', none: says([{ type: 'text' }]) },
  { title: 'a part that is null', none: says([{ type: 'text', text: 'Hel' }, null]) },
  { title: 'tool calls that are no list', none: odd(7), metrics: TWICE },
  { title: 'a call without a function', none: odd([call('add', {}), { id: 'odd' }]), metrics: TWICE },
  { title: 'a call whose function is null', none: odd([{ id: 'odd', function: null }]), metrics: TWICE },
  { title: 'a call that is null', none: odd([null]), metrics: TWICE },
])('$title is not a reply: the model is called again, and its usage counts', async ({ none, metrics }) => {
  const time = fakeTime()
  const server = await openAIServer(inTurn(none, says('Hello.', { usage })))
  const { run, lines } = await testService(server.env, { tools: [add] })
  const answered = { status: 'success', output: 'Hello.', metrics: { steps: 1, ...metrics } }
  expect(await time.until(run('Hello'))).toMatchObject(answered)
  expect(server.requests).toHaveLength(2)
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ stop: 'answer' })
})
