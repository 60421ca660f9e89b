import { serve, watchRun } from '@agent-task-service/test-support/event-stream'
import { asks, call, fails, streams } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'

// EVIDENCE-OF README.md: With `-H 'Accept: text/event-stream'` you see the run as it happens.
test("streams the provider's text as it arrives, and ends the upstream call when the caller hangs up", async () => {
  const { promise: isRead, resolve: goOn } = Promise.withResolvers<void>()
  const server = await openAIServer(inTurn(piecesThenSilence(isRead, 'Hel', 'lo')))
  const { url, lines } = await serve(server.env)
  const run = watchRun(url, { task_id: 'test-1', input: 'Hello' })
  expect((await run.nextOf('text')).data).toMatchObject({ step: 1, text: 'Hel' })
  goOn()
  expect((await run.nextOf('text')).data).toMatchObject({ step: 1, text: 'lo' })
  run.close()
  await (await server.arrival(0)).closed
  await until(() => lines.some(({ stop }) => stop === 'hang_up'))
})

test('streams tool calls, a failed try, and the answer', async () => {
  const server = await openAIServer(
    inTurn(asks([call('calculator', { expression: '6*7' })]), fails(500), streams(['42', '.'], 'stop')),
  )
  const { url } = await serve(server.env)
  const events = await watchRun(url, { task_id: 'test-1', input: 'What is 6*7?' }).rest()
  // The pieces of a text that arrive together are one event or several.
  const told = events.filter(
    ({ type }, at) => !/^(run|node)_/.test(type) && !(type === 'text' && events[at - 1]?.type === 'text'),
  )
  expect(told.map(({ type, data }) => [type, 'step' in data && data.step])).toEqual([
    ['model_started', 1],
    ['model_finished', 1],
    ['tool_started', 2],
    ['tool_finished', 2],
    ['model_started', 3],
    ['model_failed', 3],
    ['model_started', 3],
    ['text', 3],
    ['model_finished', 3],
  ])
  expect(told[0]!.data).toMatchObject({ model: 'first-model', attempt: 1 })
  expect(told[1]!.data).toMatchObject({ tool_calls: ['calculator'] })
  expect(told[3]!.data).toMatchObject({ tool: 'calculator', failed: false, result: '6 * 7 = 42' })
  expect(told[6]!.data).toMatchObject({ attempt: 2 })
  expect(events.at(-1)!.data).toMatchObject({ response: { status: 'success', output: '42.' } })
})

test('a secret never leaves in a stream, not even in pieces', async () => {
  const server = await openAIServer(request => {
    const key = String(request.headers.authorization).slice('Bearer '.length)
    return streams(['The key is ', ...key, ', and sk-pro', 'ject is a word'], 'stop')
  })
  const { url } = await serve(server.env)
  const events = await watchRun(url, { task_id: 'test-1', input: 'Hello' }).rest()
  const text = events.map(({ data }) => ('text' in data ? data.text : '')).join('')
  expect(text).toBe('The key is [redacted], and sk-project is a word')
  expect(JSON.stringify(events)).not.toContain(server.env.OPENAI_API_KEY)
})

/** Streams one piece, the next once `next` resolves, then nothing. */
function piecesThenSilence(next: Promise<void>, first: string, second: string): Reply {
  return async response => {
    const write = (content: string) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write(first)
    await next
    write(second)
  }
}
