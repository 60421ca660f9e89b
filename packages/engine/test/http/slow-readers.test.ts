import { ServerResponse } from 'node:http'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { serve, watchRun } from '@agent-task-service/test-support/event-stream'
import { streams } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { rawSocket, taskHead } from '@agent-task-service/test-support/raw-socket'
import { until } from '@agent-task-service/test-support/until'
import { runResponse } from '@agent-task-service/wire/contract'
import { expect, onTestFinished, test, vi } from 'vitest'

const MB = 2 ** 20
const usage = { input: 1, output: 1 }
const TEXT = 'A long answer. '.repeat(MB / 15)
const EVENTS = { accept: 'text/event-stream' }

const piecesOf = (text: string) => text.match(/.{1,1000}/gs) ?? []

/** A service whose model says this text once the gate is open, in these pieces if it streams. */
async function says(text: string, pieces: readonly string[] = []) {
  const gate = Promise.withResolvers<void>()
  const model = new ScriptedModel(async () => {
    await gate.promise
    return { text, pieces, usage }
  })
  return { ...(await serve({}, { models: [model.named()] })), model, gate }
}

/** The events of a stream that nobody has read until now, with their ids. */
async function eventsOf(reply: Response) {
  const found = (await reply.text()).matchAll(/^event: (.+)\nid: (.+)\ndata: (.+)\n\n/gm)
  return [...found].map(([, type, id, data]) => ({ type, id: Number(id), data: JSON.parse(data!) }))
}

// EVIDENCE-OF docs/reference/threat-model.md: A slow reader misses text of the event stream, callers of one run share its
//   reply, unread replies are limited together, and so are replays
test('a caller who does not read misses text, not the reply; the ids show the gap', async () => {
  const { post, gate, lines } = await says(TEXT, piecesOf(TEXT))
  const reply = await post({ task_id: 'test-1', input: 'Hello' }, EVENTS)
  gate.resolve()
  await until(() => lines.some(({ msg }) => msg === 'run'))
  const events = await eventsOf(reply)
  const said = events.filter(({ type }) => type === 'text').map(({ data }) => data.text)
  expect(said.join('').length).toBeGreaterThan(50_000)
  expect(said.join('').length).toBeLessThan(128 * 1024)
  expect(TEXT.startsWith(said.join(''))).toBe(true)
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['model_finished', 'run_finished'])
  const { status, output } = runResponse.parse(events.at(-1)!.data.response)
  expect([status, output === TEXT]).toEqual(['success', true])
  expect(events.at(-1)!.id).toBeGreaterThan(1000)
})

test('a caller who reads gets all of a long text, however fast it comes', async () => {
  const provider = await openAIServer(inTurn(streams(piecesOf(TEXT), 'stop')))
  const { url } = await serve(provider.env)
  const run = watchRun(url, { task_id: 'test-1', input: 'Hello' })
  const said = (await run.rest()).map(({ data }) => ('text' in data ? data.text : ''))
  expect(said.join('') === TEXT).toBe(true)
})

// EVIDENCE-OF docs/reference/threat-model.md: A slow reader misses text of the event stream, callers of one run share its
//   reply, unread replies are limited together, and so are replays
test('callers who share a run share the bytes of its reply', async () => {
  const sent = vi.spyOn(ServerResponse.prototype, 'end')
  onTestFinished(() => sent.mockRestore())
  const { gate, port, post, tasks } = await says('Done.')
  const body = { task_id: crypto.randomUUID(), input: 'Hello' }
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const plain = [1, 2].map(() => fetch(`http://127.0.0.1:${port}/run`, init))
  const watched = await Promise.all([post(body, EVENTS), post(body, EVENTS)])
  await until(() => tasks.callers === 4)
  gate.resolve()
  await Promise.all(plain)
  const ends = sent.mock.calls.map(([bytes]) => bytes as unknown)
  const replies = ends.filter(
    bytes => bytes instanceof Uint8Array && String(Buffer.from(bytes)).includes(body.task_id),
  )
  const [first, second] = replies
  expect(replies).toHaveLength(2)
  expect(second).toBe(first)
  for (const { body } of watched) {
    const chunks: unknown[] = []
    for await (const chunk of body!) chunks.push(chunk)
    expect(chunks).toContain(first)
  }
})

// EVIDENCE-OF docs/guides/deployment.md: replays, at most 32 MB, and replies that wait for slow readers, at most 64 MB
// EVIDENCE-OF docs/reference/threat-model.md: | | Many large bodies, or callers who do not read their replies, fill the memory |
test('replies that nobody reads are given up, the oldest first; other callers are served', async () => {
  const { gate, port, lines, model } = await says('x'.repeat(9 * MB))
  const ask = (n: number) => {
    const body = JSON.stringify({ task_id: `test-${n}`, input: 'Hello' })
    return rawSocket(port, taskHead('Connection: close', `Content-Length: ${body.length}`) + body)
  }
  const runs = () => lines.filter(({ msg }) => msg === 'run').length
  gate.resolve()
  for (let n = 1; n <= 8; n += 1) {
    const { socket } = ask(n)
    socket.pause()
    onTestFinished(() => void socket.destroy())
    await until(() => runs() === n)
  }
  expect(lines.filter(({ msg }) => msg === 'reply not read').map(({ task_id }) => task_id)).toEqual([
    'test-1',
  ])
  expect((await ask(9).closed).length).toBeGreaterThan(9 * MB)
  expect(model.requests.length).toBe(9)
})
