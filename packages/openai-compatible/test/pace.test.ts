import type { ServerResponse } from 'node:http'
import { OpenAICompatibleModel } from '@agent-task-service/openai-compatible'
import { arrivalOf } from '@agent-task-service/test-support/arrival'
import { startBackend } from '@agent-task-service/test-support/backend'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { overResponses } from '@agent-task-service/test-support/over-responses'
import { beforeEach, describe, expect, test } from 'vitest'

let time: FakeTime
beforeEach(() => {
  time = fakeTime()
})

const events = (choices: readonly object[]) =>
  choices.map(choice => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] })}\n\n`)
const deltas = (...pieces: readonly string[]) =>
  events(pieces.map(content => ({ delta: { content }, finish_reason: null }))).join('')
const FINISH = events([{ delta: {}, finish_reason: 'stop' }]).join('')
const END = `${FINISH}data: [DONE]\n\n`

describe.each(['chat', 'responses'] as const)('a reply over %s that arrives bit by bit', api => {
  /** A reply that the test writes, and the parts that whoever streams the model has got. */
  async function openReply() {
    const asked = Promise.withResolvers<ServerResponse>()
    const { url } = await startBackend(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      asked.resolve(api === 'responses' ? overResponses(response) : response)
    })
    const model = new OpenAICompatibleModel({ model: 'm', apiKey: 'k', baseUrl: url, api })
    const parts: string[] = []
    const caller = new AbortController()
    const callbacks = [
      {
        handleLLMNewToken: (text: string) => {
          if (text !== '') parts.push(text)
        },
        awaitHandlers: true,
      },
    ]
    const read = async () => {
      for await (const _ of await model.stream('Go.', { callbacks, signal: caller.signal }));
      return parts.join('')
    }
    const text = read()
    text.catch(() => undefined)
    const response = await asked.promise
    const arrival = arrivalOf(response)
    /** Waits until all of it has arrived. */
    const send = async (bytes: string) => {
      response.write(bytes)
      await arrival.all()
      await time.pass(0)
    }
    return { send, response, text, parts, caller }
  }

  test('the first piece comes at once, then every 40 ms what has arrived', async () => {
    const { send, parts, response, text } = await openReply()
    for (let piece = 0; piece < 100; piece += 1) {
      await send(deltas(`${piece} `))
      if (piece === 0) expect(parts).toEqual(['0 '])
      await time.pass(10)
    }
    response.end(END)
    expect(await text).toBe([...Array(100).keys(), ''].join(' '))
    // A second has 25 times 40 ms.
    expect(parts.length).toBeLessThanOrEqual(27)
    expect(parts.length).toBeGreaterThan(20)
  })

  test('a piece that comes late is not held', async () => {
    const { send, parts } = await openReply()
    for (const piece of ['one', 'two', 'three']) {
      await send(deltas(piece))
      expect(parts.at(-1)).toBe(piece)
      await time.pass(50)
    }
  })

  test('the end does not wait', async () => {
    const { send, response, text } = await openReply()
    await send(deltas('one'))
    response.end(deltas(' two') + END)
    // No time passes.
    expect(await text).toBe('one two')
  })

  test.each([
    { what: 'pieces', bytes: deltas(' two', ' three') },
    { what: 'pieces and the end, on a connection that stays open', bytes: deltas(' two', ' three') + END },
  ])('$what that have arrived when the caller ends the call are passed on', async ({ bytes }) => {
    const { send, parts, caller, text } = await openReply()
    await send(deltas('one'))
    await send(bytes)
    expect(parts).toEqual(['one'])
    caller.abort(new Error('the time is up'))
    await expect(text).rejects.toThrow()
    expect(parts).toEqual(['one', ' two three'])
  })

  test('what has arrived before an error is passed on', async () => {
    const { send, parts, text, response } = await openReply()
    await send(deltas('one'))
    await send(deltas(' two'))
    response.destroy()
    await expect(text).rejects.toThrow()
    expect(parts).toEqual(['one', ' two'])
  })

  test('who stops reading ends the request, when more comes', async () => {
    const { url } = await startBackend((response, request) => {
      const open = api === 'responses' ? overResponses(response) : response
      open.writeHead(200, { 'content-type': 'text/event-stream' })
      open.write(deltas('one'))
      hungUp = request.closed
      more = () => open.write(deltas(' two'))
    })
    let [hungUp, more] = [Promise.resolve(), () => true]
    const model = new OpenAICompatibleModel({ model: 'm', apiKey: 'k', baseUrl: url, api })
    const read = async () => {
      for await (const { text } of await model.stream('Go.')) {
        if (text === '') continue
        // LangChain reads one piece ahead, and waits for it before it stops.
        setImmediate(() => more())
        break
      }
    }
    await time.until(read())
    await time.until(hungUp)
  })

  test('what came with a finish that no end follows is not held until the end', async () => {
    const { send, parts, response, text } = await openReply()
    await send(deltas('one'))
    await send(deltas(' two') + (api === 'chat' ? FINISH : ''))
    await time.pass(40)
    expect(parts).toEqual(['one', ' two'])
    response.end(END)
    expect(await text).toBe('one two')
  })
})
