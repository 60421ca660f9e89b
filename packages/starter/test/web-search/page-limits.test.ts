import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createWebSearch } from '@agent-task-service/test-support/agent/tools'
import { fakeServer } from '@agent-task-service/test-support/web/fake-server'
import { readerReady } from '@agent-task-service/test-support/web/reading'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'

beforeAll(readerReady)

test('a page that does not end has 4 s', async () => {
  const arrived = Promise.withResolvers<ServerResponse>()
  const server = await fakeServer((response, { path }) => {
    if (path === '/page') arrived.resolve(response)
    else response.end(JSON.stringify({ results: [{ url: `${server.url}/page`, title: 'Page' }] }))
  })
  const search = createWebSearch({
    engines: [{ provider: 'searxng', url: server.url }],
    ports: [Number(new URL(server.url).port)],
    privateHosts: ['127.0.0.1'],
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const found = search.invoke({ query: 'dragon' })
  const response = await arrived.promise
  response.writeHead(200, { 'content-type': 'text/html' }).write('<p>The dragon')
  const closed = once(response, 'close')
  vi.advanceTimersByTime(3_999)
  expect(await Promise.race([closed, new Promise(resolve => setImmediate(resolve, 'open'))])).toBe('open')
  vi.advanceTimersByTime(1)
  await closed
  expect(String(await found)).toContain('Page')
})
