import { once } from 'node:events'
import { createServer, type ServerResponse, setGlobalProxyFromEnv } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createWebSearch } from '@agent-task-service/test-support/agent/tools'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { fakeServer } from '@agent-task-service/test-support/web/fake-server'
import { pdf } from '@agent-task-service/test-support/web/pdf'
import { honest, read } from '@agent-task-service/test-support/web/reading'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'

// The reader takes real time, and no page is given up for it.
let time: FakeTime
beforeEach(() => {
  time = fakeTime()
})

type Page = Parameters<typeof fakeServer>[0]
const sent =
  (type: string, body: string | Uint8Array): Page =>
  response =>
    void response.writeHead(200, { 'content-type': type }).end(body)

const missing: Page = response => void response.writeHead(404).end()

/** A server with pages, by name, a search engine there that finds these of them, and the tool that asks it. */
async function searchable(
  pages: Readonly<Record<string, Page>>,
  { found = Object.keys(pages), timeLimitMs = 10_000 } = {},
) {
  const server = await fakeServer((response, request) => {
    const results = found.map(title => ({
      url: `${server.url}/${title}`,
      title,
      content: `${title} snippet`,
    }))
    if (request.path === '/search') response.end(JSON.stringify({ results }))
    else (pages[request.path.slice(1)] ?? missing)(response, request)
  })
  return { ...server, tool: createWebSearch(settingsOf(server, 'searxng', { timeLimitMs })) }
}

function settingsOf(
  { url }: { url: string },
  provider: 'searxng' | 'wikipedia' | 'tavily' | 'brave',
  more = {},
) {
  const engines = [{ provider, url, apiKey: 'key' }]
  return { engines, ports: [Number(new URL(url).port)], privateHosts: ['127.0.0.1'], ...more }
}

// EVIDENCE-OF docs/reference/shipped-tools.md: With `read`, a number from such a list or an address from the task, it returns
//   more of that page.
test('more of a page: only what was not shown yet, and only pages of this run and task', async () => {
  const parts = Array.from(
    { length: 40 },
    (_, n) => `<p>Chapter ${n} tells of the ${n === 33 ? 'dragon' : 'valley'}. ${`Word${n} `.repeat(60)}</p>`,
  )
  const book = sent('text/html', parts.join(''))
  const { url, tool, received } = await searchable({ book, given: book, other: book }, { found: ['book'] })
  const messages = [{ type: 'human', text: `Read ${url}/given, please (${url}/other).` }]
  const config = { configurable: { __run: {} }, state: { messages } }
  const ask = (query: string, read?: unknown) =>
    tool.invoke({ query, read } as never, config as never).then(String, (error: Error) => error.message)
  const first = await ask('valley')
  expect(first).not.toContain('dragon')
  expect(await ask('dragon', 1)).toContain('Chapter 33 tells of the dragon')
  const chapters = (text: string) => new Set(text.match(/Chapter \d+/g))
  const next = await ask('valley', '[1]')
  expect([...chapters(next)].filter(chapter => chapters(first).has(chapter))).toEqual([])
  expect(received.filter(({ path }) => path === '/book')).toHaveLength(1)
  expect(await ask('valley', `${url}/given`)).toContain(`\n   ${url}/given\n`)
  expect(await ask('valley', `${url}/other`)).toContain(`\n   ${url}/other\n`)
  // A weak model's way.
  expect(await ask(`${url}/given`)).toMatch(/^(?:No m|M)ore of page 2/)
  for (const made of [7, `${url}/?stolen=secret`, `${url}/given?stolen=secret`, 'nonsense'])
    expect(await ask('dragon', made)).toMatch(
      /^Note: ".+" is neither named in the task nor a result of this run, which so far are 1, 2, 3\. So this is a search\.\nWeb search results for "dragon"/,
    )
  expect(received.filter(({ path }) => path === '/')).toEqual([])
  // Another run does not know them.
  const other = { configurable: { __run: {} } } as never
  expect(await tool.invoke({ query: 'valley', read: '1' }, other)).toContain('a result of this run. So')
})

// EVIDENCE-OF docs/reference/shipped-tools.md: Menus and the like are left out, and where a page has been shown, the result says
//   how many lines it lacks: `without 12 lines of menus`.
test('says that all of a page has been shown only if it has', async () => {
  const own = (name: string) => `<main><p>${`Of ${name} mills ${name} tells. `.repeat(15)}</p></main>`
  const menu = `<nav><ul>${'<li><a href="/">A mill</a></li>'.repeat(12)}</ul></nav>`
  const { tool } = await searchable({
    whole: sent('text/html', own('old')),
    framed: sent('text/html', `${menu}${own('tall')}`),
    cut: sent('text/html', `<nav>Menu</nav>${own('far')}<!--${'x'.repeat(2 * 2 ** 20)}`),
  })
  const config = { configurable: { __run: {} } } as never
  const found = String(await tool.invoke({ query: 'mills' }, config))
  expect(found.match(/^\[.*/gm)).toEqual([
    '[1] whole (from the page)',
    '[2] framed (from the page, without 12 lines of menus)',
    '[3] cut (from the page, only its beginning was read, without 1 line of menus)',
  ])
  const more = async (read: string) => String(await tool.invoke({ query: 'mills', read }, config))
  expect([await more('1'), await more('2'), await more('3')]).toEqual([
    'No more of page 1 for "mills". All of it has been shown.',
    'No more of page 2 for "mills". Its text has been shown, without 12 lines of menus.',
    'No more of page 3 for "mills". What was read of it, only its beginning, has been shown, without 1 line of menus.',
  ])
})

// EVIDENCE-OF docs/reference/shipped-tools.md: Within a run no passage comes twice, neither from searches one after the other
//   nor from those side by side: a page whose matching passages are in another result is only named.
test('searches side by side read a page once, and share its passages between their results, in order', async () => {
  const page = (name: string) => {
    const facts = Array.from(
      { length: 30 },
      (_, n) => `${`${name} river `.repeat(9)}fact ${n}: ${`word${n} `.repeat(20)}`,
    )
    return sent('text/plain', facts.join('\n\n'))
  }
  const { tool, received } = await searchable({ one: page('one'), two: page('two') })
  const config = { configurable: { __run: {} } } as never
  const queries = ['two river length', 'length of the river two', 'river']
  const texts = await Promise.all(queries.map(async query => String(await tool.invoke({ query }, config))))
  const shown = texts.flatMap(text => text.match(/• .*/g) ?? [])
  expect(shown.length).toBeGreaterThan(12)
  expect(new Set(shown).size).toBe(shown.length)
  expect(received.filter(({ path }) => path === '/one')).toHaveLength(1)
  for (const text of texts) expect(text).toMatch(/\n\n\[1\] one \((?:.|\n)*\n\n\[2\] two \(/)
  expect(texts.join()).toMatch(
    /\[1\] one \(from the page, \d+ of \d+ passages; \d+ in another result; more: read 1\)/,
  )
})

// EVIDENCE-OF docs/reference/threat-model.md: A page has 4 s and 2 MiB.
test('a page that does not end has 4 s', async () => {
  const arrived = Promise.withResolvers<ServerResponse>()
  const { tool } = await searchable({ page: arrived.resolve })
  const found = tool.invoke({ query: 'dragon' })
  const response = await arrived.promise
  response.writeHead(200, { 'content-type': 'text/html' }).write('<p>The dragon')
  const closed = once(response, 'close')
  await time.pass(3_999)
  expect(await Promise.race([closed, 'open'])).toBe('open')
  await time.pass(1)
  await closed
  expect(String(await found)).toContain('page')
})

test('a page that hangs costs only itself, and the tool ends at its limit with what it has', async () => {
  const sentGood = Promise.withResolvers<void>()
  const pages: Record<string, Page> = {
    good: (response, request) => {
      response.once('close', sentGood.resolve)
      sent('text/plain', 'good text of the page')(response, request)
    },
    hanging: () => {},
    dripping: response => response.writeHead(200, { 'content-type': 'text/html' }).write('<p>drip'),
  }
  const { tool } = await searchable(pages, { timeLimitMs: 3_000 })
  const found = tool.invoke({ query: 'good hanging dripping' })
  await sentGood.promise
  await time.pass(0)
  // The reader reads one page after the other.
  await read(honest.text)
  await time.pass(2_500)
  const text = String(await found)
  expect(text).toContain('[1] good (from the page)')
  expect(text).toContain('[2] hanging (snippet only)')
  expect(text).toContain('[3] dripping (snippet only)')
})

test("reads Wikipedia's articles through its API, tables included", async () => {
  const text =
    '<h2>Figures</h2><table><tr><th>River</th><th>Length</th></tr><tr><td>Rhine</td><td>1,233 km</td></tr></table>'
  const pages = [{ title: 'Rhine', index: 1, fullurl: 'https://wiki.example/Rhine' }]
  const server = await fakeServer((response, { parameters }) => {
    const isArticle = parameters.action === 'parse'
    response.end(JSON.stringify(isArticle ? { parse: { title: 'Rhine', text } } : { query: { pages } }))
  })
  const tool = createWebSearch(settingsOf(server, 'wikipedia'))
  expect(String(await tool.invoke({ query: 'Rhine length' }))).toContain(
    '[1] Rhine (from the page)\n   https://wiki.example/Rhine\n   • Figures:\n     River | Length\n     Rhine | 1,233 km',
  )
  expect(server.received[1]?.parameters).toMatchObject({ action: 'parse', page: 'Rhine', prop: 'text' })
})

test("reads Tavily's text of a page, with its headings and tables, and fetches nothing", async () => {
  const result = {
    title: 'Rhine',
    url: 'https://example.org/',
    content: 'A river',
    raw_content:
      '# Rhine\n\nA river.\n\n## Figures\n\n| River | Length |\n| --- | --- |\n| Rhine | 1,233 km |\n',
    published_date: '2024-01-02',
  }
  const server = await fakeServer(response => response.end(JSON.stringify({ results: [result] })))
  const text = String(await createWebSearch(settingsOf(server, 'tavily')).invoke({ query: 'length' }))
  expect(text).toContain(
    '[1] Rhine (from the page, 2024-01-02, 1 of 2 passages; more: read 1)\n   https://example.org/\n   • Figures:\n     | River | Length |\n     | Rhine | 1,233 km |',
  )
})

test("reads more of a page of Brave's from the page itself", async () => {
  const server = await fakeServer((response, { path }) => {
    const hit = { url: `${server.url}/page`, title: 'Rhine', snippets: ['A river.'] }
    if (path === '/page') response.writeHead(200, { 'content-type': 'text/plain' }).end('All of it: 1,233 km')
    else response.end(JSON.stringify({ grounding: { generic: [hit] } }))
  })
  const tool = createWebSearch(settingsOf(server, 'brave'))
  const config = { configurable: { __run: {} } } as never
  expect(String(await tool.invoke({ query: 'Rhine river' }, config))).toContain('• A river.')
  expect(server.received).toHaveLength(1)
  expect(String(await tool.invoke({ query: 'length', read: '1' }, config))).toContain('• All of it: 1,233 km')
})

// EVIDENCE-OF docs/reference/shipped-tools.md: A `meta` refresh is followed once.
test('follows a page that leads on once, by the same rules as a redirect', async () => {
  const leading = (target: string, text: string) =>
    sent('text/html', `<meta http-equiv=refresh content="0;url=${target}"><p>${text}`)
  const pages: Record<string, Page> = {
    moved: leading('/mill', 'This leads on.'),
    gone: leading('/nowhere', 'That is gone.'),
    self: leading('/self', 'It shows itself again.'),
    inner: (response, request) => {
      const port = new URL(`http://${request.headers.host}`).port
      leading(`http://[::ffff:127.0.0.1]:${port}/secret`, 'It leads inside.')(response, request)
    },
    mill: sent('text/plain', 'The mill is 17.5 metres high.'),
    secret: sent('text/plain', 'Secret'),
  }
  const { tool, received } = await searchable(pages, { found: ['moved', 'gone', 'self', 'inner'] })
  const text = String(await tool.invoke({ query: 'moved gone self inner' }))
  expect(text.match(/• .*/g)).toEqual([
    '• The mill is 17.5 metres high.',
    '• That is gone.',
    '• It shows itself again.',
    '• It leads inside.',
  ])
  const paths = received.map(({ path }) => path)
  expect(paths).not.toContain('/secret')
  expect(paths.filter(path => path === '/self')).toHaveLength(1)
})

// EVIDENCE-OF docs/reference/shipped-tools.md: Of a page with hardly any text of its own it reads `noscript` and the JSON of
//   its scripts, and says if the text may come from scripts, which are not run.
test('says why it reads nothing of a page that scripts make', async () => {
  const app = sent('text/html', '<div id="app"></div><script src="app.js"></script>')
  const { tool } = await searchable({ app, plain: sent('text/html', '<p>Of the app</p>') })
  const config = { configurable: { __run: {} } } as never
  expect(String(await tool.invoke({ query: 'app' }, config))).toContain(
    '[1] app (snippet only, its text may come from scripts, which are not run)\n',
  )
  const more = tool.invoke({ query: 'app', read: '1' }, config)
  await expect(more).rejects.toThrow('Page 1 shows its text by scripts, which are not run.')
})

test.each(['gzip', 'x-gzip', 'X-GZIP'])('reads a page that is compressed as %s', async encoding => {
  const { tool } = await searchable({
    mill: response =>
      void response
        .writeHead(200, { 'content-type': 'application/rss+xml', 'content-encoding': encoding })
        .end(
          gzipSync(
            '<rss><channel><item><title>Mill</title><description>17.5 m</description></item></channel></rss>',
          ),
        ),
  })
  expect(String(await tool.invoke({ query: 'mill' }))).toContain('17.5 m')
})

test.each(['application/octet-stream', 'binary/octet-stream', 'application/force-download'])(
  'of what is sent as %s, reads a PDF only',
  async type => {
    const report = sent(type, pdf('Report', ['Line 1 of the report.']))
    const { tool } = await searchable({ report, binary: sent(type, 'MZ binary') })
    const text = String(await tool.invoke({ query: 'line' }))
    expect(text).toContain('[1] report (from the page')
    expect(text).not.toContain('binary (from the page')
  },
)

// EVIDENCE-OF docs/reference/shipped-tools.md: Of a page or a PDF that is too long, the beginning is read, and the result says so.
test('tells that of a page only its beginning was read', async () => {
  const { tool } = await searchable({
    mill: sent('text/html', `<p>The mill.</p><!--${'x'.repeat(2 * 2 ** 20)}-->`),
  })
  const config = { configurable: { __run: {} } } as never
  expect(String(await tool.invoke({ query: 'mill' }, config))).toContain(
    '[1] mill (from the page, only its beginning was read)',
  )
  expect(String(await tool.invoke({ query: 'mill', read: '1' }, config))).toBe(
    'No more of page 1 for "mill". What was read of it, only its beginning, has been shown.',
  )
})

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

// EVIDENCE-OF docs/configuration.md: | `SEARCH_PROXY` |
// EVIDENCE-OF docs/reference/threat-model.md: With `SEARCH_PROXY` the proxy resolves names: only ports and addresses written as numbers
//   are checked, `SEARCH_PRIVATE_HOSTS` are still reached directly, and the proxy decides about the rest.
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

// EVIDENCE-OF docs/reference/threat-model.md: Let the proxy refuse inner names and addresses, its own machine's among them
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
