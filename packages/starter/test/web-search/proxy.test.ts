import { once } from 'node:events'
import { createServer, setGlobalProxyFromEnv } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createWebSearch } from '@agent-task-service/test-support/agent/tools'
import { fakeServer } from '@agent-task-service/test-support/web/fake-server'
import { readerReady } from '@agent-task-service/test-support/web/reading'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'

beforeAll(readerReady)

const PAGES = [
  'http://page.example/',
  'https://secure.example/',
  'http://127.0.0.1/',
  'http://10.0.0.1/',
  'http://[::1]/',
]

/** A proxy that knows an engine and a page by names that nobody else knows. */
async function startProxy() {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const results = PAGES.map(address => ({ url: address, title: address, content: `River of ${address}` }))
    if (url.startsWith('http://engine.example/search')) response.end(JSON.stringify({ results }))
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('The river is 1,233 km long.')
  })
  server.on('connect', ({ url = '' }, socket) => {
    asked.push(url)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('with a proxy, engines and pages are reached through it, except the private hosts', async () => {
  const { asked, url: proxy } = await startProxy()
  const engines = [{ provider: 'searxng', url: 'http://engine.example' }] as const
  const text = String(await createWebSearch({ engines, proxy }).invoke({ query: 'river length' }))
  expect(text).toContain(
    '[1] http://page.example/ (from the page)\n   http://page.example/\n   • The river is 1,233 km',
  )
  expect(text).toContain('[2] https://secure.example/ (snippet only)')
  // Inner addresses are refused whatever the proxy would do.
  expect(asked.sort()).toEqual([
    'http://engine.example/search?q=river+length&format=json',
    'http://page.example/',
    'secure.example:443',
  ])
  const inner = await fakeServer(response => response.end('{"results": []}'))
  const settings = {
    engines: [{ provider: 'searxng', url: inner.url }] as const,
    proxy,
    privateHosts: ['127.0.0.1'],
  }
  await createWebSearch(settings).invoke({ query: 'river' })
  expect([inner.received.length, asked.length]).toEqual([1, 3])
})

test('variables of the environment send nothing to a proxy', async () => {
  const { asked, url } = await startProxy()
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY'])
    vi.stubEnv(name, url)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  // As the engine does for the rest of the process.
  onTestFinished(setGlobalProxyFromEnv({ HTTP_PROXY: url, HTTPS_PROXY: url }))
  const engine = await fakeServer(response => response.end(JSON.stringify({ results: [{ url: PAGES[0] }] })))
  await createWebSearch({ engines: [{ provider: 'searxng', url: engine.url }] }).invoke({ query: 'river' })
  vi.unstubAllEnvs()
  expect([engine.received.length, asked]).toEqual([1, []])
})
