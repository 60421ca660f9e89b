import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startBackend } from '../support/backend.ts'
import { testService } from '../support/service.ts'
import { holds, splits } from './holds.ts'

const encode = (text: string) => new TextEncoder().encode(text)
/** Texts with characters of one to four bytes, and whatever a line of an event may trip over. */
const words = fc.array(fc.constantFrom('a', 'é', '€', '😀', '\u2028', '\r', '\\', '"', 'data: ', '[DONE]'), {
  minLength: 1,
  maxLength: 20,
})

test("a model's reply reads the same in any pieces, streamed or not", async () => {
  let replies: ((response: ServerResponse) => void)[] = []
  const { url } = await startBackend(response => replies.shift()!(response))
  const service = await testService({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1` })
  const [tool = ''] = service.toolNames
  const run = async (turns: typeof replies) => {
    replies = [...turns]
    const { metrics, ...reply } = await service.run('Hi')
    return { ...reply, metrics: { ...metrics, duration_sec: 0 } }
  }
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
  const turnsOf = (said: readonly string[], isStreamed: boolean) => {
    const toolCall = {
      id: 'c1',
      type: 'function',
      function: { name: tool, arguments: JSON.stringify({ said }) },
    }
    const asking = { role: 'assistant', content: null, tool_calls: [toolCall] }
    const answering = { role: 'assistant', content: `Well, ${said.join('')}` }
    return isStreamed
      ? [eventsOf({ ...asking, tool_calls: [{ index: 0, ...toolCall }] }), eventsOf(answering, ...said)]
      : [asking, answering].map(message =>
          JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
        )
  }
  const eventsOf = (first: object, ...more: readonly string[]) => {
    const deltas = [first, ...more.map(content => ({ content }))]
    const choices = [...deltas.map(delta => ({ delta })), { delta: {}, finish_reason: 'stop' }]
    const events = choices.map(choice => JSON.stringify({ choices: [{ index: 0, ...choice }] }))
    return [...events, JSON.stringify({ choices: [], usage }), '[DONE]']
      .map(data => `data: ${data}\n\n`)
      .join('')
  }
  const turn = (isStreamed: boolean, pieces: readonly Uint8Array[]) => async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' })
    for (const piece of pieces) {
      response.write(piece)
      await setImmediate()
    }
    response.end()
  }
  const cases = fc.tuple(words, fc.boolean()).chain(([said, isStreamed]) => {
    const texts = turnsOf(said, isStreamed)
    return fc.tuple(fc.constant(isStreamed), ...texts.map(text => splits(fc.constant(encode(text)))))
  })
  await holds(
    8,
    fc.asyncProperty(cases, async ([isStreamed, ...turns]) => {
      const whole = await run(turns.map(pieces => turn(isStreamed, [Buffer.concat(pieces)])))
      expect(whole.output).toMatch(/^Well, /)
      expect(await run(turns.map(pieces => turn(isStreamed, pieces)))).toEqual(whole)
    }),
  )
})
