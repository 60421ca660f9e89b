import { setImmediate } from 'node:timers/promises'
import { ModelConnectionError } from '@agent-task-service/openai-compatible/errors'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ChatReader } from '../in/chat-reader.ts'
import { partsOf } from '../in/end-of-reply.ts'
import { Reply } from '../in/reply.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const chunk = (content: string, finish_reason: string | null = null, more: object = {}) => ({
  choices: [{ index: 0, delta: { content }, finish_reason }],
  ...more,
})
const USAGE = { usage: { prompt_tokens: 3, completion_tokens: 2 } }
const HEARTBEAT = { choices: [] }

/** A reply whose chunks the test sends one by one, over a connection that stays open until somebody ends it. */
function openReply() {
  const queue: unknown[] = []
  let wake = Promise.withResolvers<void>()
  const send = async (chunk: unknown) => {
    queue.push(chunk)
    wake.resolve()
    await settle()
  }
  const post = async function* (signal: AbortSignal) {
    for (;;) {
      while (queue.length > 0) {
        const next = queue.shift()
        if (next === 'end') return
        if (next instanceof Error) throw next
        yield [next]
      }
      wake = Promise.withResolvers()
      const aborted = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
      await Promise.race([wake.promise, aborted.promise])
    }
  }
  let state = 'open'
  const read = async () => {
    let text = ''
    const parts = partsOf(new ChatReader(new Reply('m')), undefined, post)
    for await (const part of parts) text += typeof part === 'string' ? '' : part.content
    return text
  }
  const text = read()
  text.then(
    () => {
      state = 'ended'
    },
    () => {
      state = 'failed'
    },
  )
  return { send, text, state: () => state }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate()
}

async function pass(seconds: number): Promise<void> {
  vi.advanceTimersByTime(seconds * 1000)
  await settle()
}

test('a finish with nothing but heartbeats behind it is the end after 3 s', async () => {
  const reply = openReply()
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
  const reply = openReply()
  await reply.send(chunk('It is 42.'))
  await reply.send(chunk('', 'stop', USAGE))
  for (let second = 0; second < 4; second += 1) {
    await pass(0.8)
    await reply.send(again)
  }
  expect(reply.state()).toBe('ended')
})

test('usage behind a finish starts the 3 s anew', async () => {
  const reply = openReply()
  await reply.send(chunk('It is 42.', 'stop'))
  await pass(2)
  await reply.send({ choices: [], ...USAGE })
  await pass(2.9)
  expect(reply.state()).toBe('open')
  await pass(0.2)
  expect(reply.state()).toBe('ended')
})

test.each([
  { end: 'data: [DONE]', last: '[DONE]', state: 'ended' },
  { end: 'the end of the body', last: 'end', state: 'ended' },
  { end: 'a broken connection', last: new ModelConnectionError('reset'), state: 'failed' },
])('content behind a finish: only $end ends such a stream', async ({ last, state }) => {
  const reply = openReply()
  await reply.send(chunk('It ', 'stop', USAGE))
  await pass(2.5)
  await reply.send(chunk('is ', 'stop', USAGE))
  await pass(600)
  expect(reply.state()).toBe('open')
  await reply.send(chunk('42.', 'stop', USAGE))
  await reply.send(last)
  await pass(1.1)
  expect(reply.state()).toBe(state)
  if (state === 'ended') expect(await reply.text).toBe('It is 42.')
})

test('behind [DONE], the connection has a second to close', async () => {
  const reply = openReply()
  await reply.send(chunk('It is 42.', 'stop'))
  await reply.send('[DONE]')
  await pass(0.9)
  expect(reply.state()).toBe('open')
  await pass(0.2)
  expect(await reply.text).toBe('It is 42.')
})

test('a stream without a finish is not ended by silence', async () => {
  const reply = openReply()
  await reply.send(chunk('Half an ans'))
  await pass(600)
  expect(reply.state()).toBe('open')
  await reply.send('end')
  await expect(reply.text).rejects.toThrow('the stream ended before the answer did')
})
