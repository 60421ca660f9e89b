import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess } from '@agent-task-service/test-support/process'
import { rawSocket, responsesIn } from '@agent-task-service/test-support/raw-socket'
import { expect, onTestFinished, test } from 'vitest'

/** 16 MB of bodies and their runs fit in this heap; the 100 MB that come do not. */
const NODE = ['--max-old-space-size=96', '--max-semi-space-size=4']
const LARGE = 'A large task. '.repeat(70_000)

/** Opens connections that each send a large body, all but its last `missing` bytes. */
function flood(port: number, count: number, missing = 0) {
  return Array.from({ length: count }, (_, n) => {
    const body = JSON.stringify({ task_id: `test-${n}`, input: LARGE })
    const head = `POST /run HTTP/1.1\r\nHost: agent\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    const peer = rawSocket(port, `${head}\r\n\r\n${body.slice(0, body.length - missing)}`)
    onTestFinished(() => void peer.socket.destroy())
    return peer
  })
}

// EVIDENCE-OF docs/guides/deployment.md: 512 MB hold 250 runs with room to spare; if bodies are large, give it more memory:
// EVIDENCE-OF docs/reference/threat-model.md: A caller who fills the memory for bodies keeps other large tasks out.
test.each([
  { name: 'runs that wait for the model', missing: 0 },
  { name: 'bodies that never end', missing: 1 },
])('hundreds of large bodies leave memory and room for a small task: $name', async ({ missing }) => {
  const { promise: never } = Promise.withResolvers<never>()
  const model = await openAIServer(async ({ body }) => {
    if (String(body.messages.at(-1)?.content).length > 1_000) await never
    return response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const choices = [{ index: 0, delta: { content: 'Done.' }, finish_reason: 'stop' }]
      response.end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`)
    }
  })
  const { url, post, child } = await startProcess(model.env, NODE)
  const peers = flood(Number(new URL(url).port), 100, missing)
  const refused = () => peers.filter(({ received }) => received() !== '')
  await expect.poll(() => refused().length, { timeout: 50_000 }).toBeGreaterThan(70)
  expect(new Set(refused().map(({ received }) => responsesIn(received())[0]?.status))).toEqual(new Set([503]))
  expect(await (await post({ task_id: 'test-1000', input: 'Hello' })).json()).toMatchObject({
    status: 'success',
  })
  for (const { socket } of peers) socket.destroy()
  const large = { task_id: 'test-1001', input: LARGE }
  const again = async () => {
    const abort = AbortSignal.timeout(500)
    return await post(large, { signal: abort }).then(
      ({ status }) => status,
      () => 'taken',
    )
  }
  await expect.poll(again, { timeout: 50_000 }).toBe('taken')
  expect(child.exitCode).toBeNull()
})

test('200 chunked tasks at once find room beside 50 chunked bodies that have stopped arriving', async () => {
  const { url, post } = await startProcess({}, NODE)
  const port = Number(new URL(url).port)
  const head =
    'POST /run HTTP/1.1\r\nHost: agent\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked'
  const peers = Array.from({ length: 50 }, () => rawSocket(port, `${head}\r\n\r\n11\r\n{"task_id": "test`))
  for (const { socket } of peers) onTestFinished(() => void socket.destroy())
  const chunked = (task_id: string) => {
    const text = JSON.stringify({ task_id, input: 'What is 2 + 2?' })
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    })
    return post('', { body, duplex: 'half' } as RequestInit)
  }
  const replies = await Promise.all(Array.from({ length: 200 }, (_, n) => chunked(`test-${n}`)))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
})
