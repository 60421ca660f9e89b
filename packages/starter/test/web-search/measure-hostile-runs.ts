/**
 * Prints how long 12 searches take, alone and beside runs whose pages are hostile. For the threat model; run it on a quiet
 * machine: `node packages/starter/test/web-search/measure-hostile-runs.ts`
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLocalSearch } from '@agent-task-service/test-support/agent/tools'
import { hostilePages } from './hostile-pages.ts'

const HONEST_RUNS = 12
const PAGES = 5
const honestPage = '<h2>Foxes</h2><p>The quick brown fox jumps over the lazy dog.</p>'.repeat(1_000)
const [hostileType, hostilePage] = hostilePages['PDF bomb in hexadecimal']!()

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://server')
  const kind = searchParams.get('q') ?? pathname.split('/')[1]
  if (pathname === '/search') {
    const results = Array.from({ length: PAGES }, (_, page) => ({
      url: `${url}/${kind}/${page}-${crypto.randomUUID()}`,
      title: 'Page',
    }))
    response.end(JSON.stringify({ results }))
  } else if (kind === 'hostile') response.writeHead(200, { 'content-type': hostileType }).end(hostilePage)
  else response.writeHead(200, { 'content-type': 'text/html' }).end(honestPage)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const url = `http://127.0.0.1:${port}`
const tool = createLocalSearch(url)
const search = async (query: string) => {
  const text = (await tool.invoke({ query })) as unknown as string
  return text.includes('from the page')
}

await search('honest')
process.stdout.write(
  '| runs with hostile pages | 12 honest searches, s | with pages read |\n| --- | --- | --- |\n',
)
for (const hostileRuns of [0, 4, 12]) {
  const hostile = Array.from({ length: hostileRuns }, () => search('hostile').catch(() => false))
  const startedAt = performance.now()
  const honest = await Promise.all(Array.from({ length: HONEST_RUNS }, () => search('honest')))
  const seconds = (performance.now() - startedAt) / 1000
  process.stdout.write(`| ${hostileRuns} | ${seconds.toFixed(1)} | ${honest.filter(Boolean).length} |\n`)
  await Promise.all(hostile)
}
process.exit()
