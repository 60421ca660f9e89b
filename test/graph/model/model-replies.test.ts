import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { asks, call, says } from '../../support/openai-replies.ts'
import { inTurn, openAIServer, type Reply } from '../../support/openai-server.ts'
import { testService } from '../../support/service.ts'

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

test("a request contains only the protocol: no name on a tool's result", async () => {
  const server = await openAIServer(inTurn(asks([call('time', {})]), says('Done.')))
  const { run } = await testService(server.env)
  expect(await run('Hello')).toMatchObject({ status: 'success' })
  const result = server.requests[1]!.body.messages.at(-1)!
  expect(Object.keys(result).sort()).toEqual(['content', 'role', 'tool_call_id'])
})
