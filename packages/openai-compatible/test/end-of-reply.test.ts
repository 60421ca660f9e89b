import type { ServerResponse } from 'node:http'
import { OpenAICompatibleModel } from '@agent-task-service/openai-compatible'
import { type Arrival, arrivalOf } from '@agent-task-service/test-support/arrival'
import { startBackend } from '@agent-task-service/test-support/backend'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { beforeEach, expect, test } from 'vitest'

let time: FakeTime
beforeEach(() => {
  time = fakeTime()
})

const chunk = (content: string, finish_reason: string | null = null, more: object = {}) => ({
  choices: [{ index: 0, delta: { content }, finish_reason }],
  ...more,
})
const USAGE = { usage: { prompt_tokens: 3, completion_tokens: 2 } }
const HEARTBEAT = { choices: [] }

/** A reply whose chunks the test sends one by one, over a connection that stays open until somebody ends it. */
async function openReply() {
  const asked = Promise.withResolvers<ServerResponse>()
  const { url } = await startBackend(response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    asked.resolve(response)
  })
  const model = new OpenAICompatibleModel({ model: 'm', apiKey: 'k', baseUrl: url, api: 'chat' })
  const read = async () => {
    let text = ''
    for await (const piece of await model.stream('Go.')) text += piece.text
    return text
  }
  let state = 'open'
  const text = read()
  text.then(
    () => {
      state = 'ended'
    },
    () => {
      state = 'failed'
    },
  )
  const response = await asked.promise
  const arrival = arrivalOf(response)
  /** Waits until all of it has arrived. */
  const send = async (event: object | string) => {
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    await arrival.all()
    await time.pass(0)
  }
  return { send, response, arrival, text, state: () => state }
}

const pass = (seconds: number) => time.pass(seconds * 1000)

test('a finish with nothing but heartbeats behind it is the end after 3 s', async () => {
  const reply = await openReply()
  await reply.send(chunk('It is 42.'))
  await reply.send(chunk('', 'stop'))
  await pass(2)
  await reply.send(HEARTBEAT)
  await pass(0.9)
  expect(reply.state()).toBe('open')
  await pass(0.2)
  expect(reply.state()).toBe('ended')
  expect(await reply.text).toBe('It is 42.')
})

test.each([
  { what: 'the finish', again: chunk('', 'stop') },
  { what: 'the usage', again: { choices: [], ...USAGE } },
])('$what, again and again, is a heartbeat', async ({ again }) => {
  const reply = await openReply()
  await reply.send(chunk('It is 42.'))
  await reply.send(chunk('', 'stop', USAGE))
  for (let second = 0; second < 4; second += 1) {
    await pass(0.8)
    await reply.send(again)
  }
  expect(reply.state()).toBe('ended')
})

test('usage behind a finish starts the 3 s anew', async () => {
  const reply = await openReply()
  await reply.send(chunk('It is 42.', 'stop'))
  await pass(2)
  await reply.send({ choices: [], ...USAGE })
  await pass(2.9)
  expect(reply.state()).toBe('open')
  await pass(0.2)
  expect(reply.state()).toBe('ended')
})

/** Ends a reply in some way, and waits until that has arrived. */
type Last = (response: ServerResponse, arrival: Arrival) => Promise<void>
const lasts: { end: string; state: string; last: Last }[] = [
  {
    end: 'data: [DONE]',
    state: 'ended',
    last: async (response, arrival) => {
      response.write('data: [DONE]\n\n')
      await arrival.all()
    },
  },
  {
    end: 'the end of the body',
    state: 'ended',
    last: async (response, arrival) => {
      response.end()
      await arrival.all()
    },
  },
  {
    end: 'a broken connection',
    state: 'failed',
    last: async (response, arrival) => {
      response.destroy()
      await arrival.closed
    },
  },
]

test.each(lasts)('content behind a finish: only $end ends such a stream', async ({ last, state }) => {
  const reply = await openReply()
  await reply.send(chunk('It ', 'stop', USAGE))
  await pass(2.5)
  await reply.send(chunk('is ', 'stop', USAGE))
  await pass(60)
  expect(reply.state()).toBe('open')
  await reply.send(chunk('42.', 'stop', USAGE))
  await last(reply.response, reply.arrival)
  await pass(1.1)
  expect(reply.state()).toBe(state)
  if (state === 'ended') expect(await reply.text).toBe('It is 42.')
})

test('behind [DONE], the connection has a second to close', async () => {
  const reply = await openReply()
  await reply.send(chunk('It is 42.', 'stop'))
  await reply.send('[DONE]')
  await pass(0.9)
  expect(reply.state()).toBe('open')
  await pass(0.2)
  expect(await reply.text).toBe('It is 42.')
})

test('a stream without a finish is not ended by silence', async () => {
  const reply = await openReply()
  await reply.send(chunk('Half an ans'))
  await pass(60)
  expect(reply.state()).toBe('open')
  reply.response.end()
  await expect(reply.text).rejects.toThrow('the stream ended before the answer did')
})
