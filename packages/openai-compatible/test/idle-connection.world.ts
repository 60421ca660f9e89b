import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { testService } from '@agent-task-service/test-support/service'
import { expect, onTestFinished, test } from 'vitest'

test('an idle connection is closed before its provider closes it, as it said, which would fail a call', async () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }]
  const said = JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices })
  // It closes none itself.
  const provider = createServer({ keepAliveTimeout: 0 }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'keep-alive': 'timeout=2' }).end(said)
  })
  onTestFinished(() => void provider.close())
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  const closed = once(provider, 'connection').then(([socket]) => once(socket as Socket, 'close'))
  const { port } = provider.address() as AddressInfo
  const { run } = await testService({
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    MODEL: 'm',
  })
  expect(await run('Go.')).toMatchObject({ output: 'Yes.' })
  await closed
})
