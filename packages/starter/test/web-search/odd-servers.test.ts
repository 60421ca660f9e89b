import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { holds } from '@agent-task-service/test-support/holds'
import { fakeServer } from '@agent-task-service/test-support/web/fake-server'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Cookies } from '../../web-search/cookies.ts'
import { fetchPage } from '../../web-search/fetch-page.ts'

const { signal } = new AbortController()

/** A server whose reply is these bytes, in these pieces; then it closes the connection. */
async function served(...pieces: readonly (string | Buffer)[]) {
  const server = createServer(socket => {
    socket.on('error', () => {}).setNoDelay()
    socket.once('data', () => {
      for (const piece of pieces) socket.write(Buffer.from(piece as string))
      socket.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const rules = { ports: [port], privateHosts: ['127.0.0.1'], userAgent: 'test' }
  const { bytes, ...page } = await fetchPage(`http://127.0.0.1:${port}/`, rules, signal)
  return { ...page, text: Buffer.from(bytes).toString() }
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n'
const TEXT = '<p>The old mill is 17.5 metres high.</p>'

// EVIDENCE-OF docs/reference/shipped-tools.md: A reply that breaks off, or whose compression lacks its end, is read as far as it came, and the
//   result says so.
test.each<[string, string, string | Buffer]>([
  ['is shorter than promised', `${OK}content-length: 999\r\n\r\n`, TEXT],
  ['ends within its chunks', `${OK}transfer-encoding: chunked\r\n\r\n${TEXT.length.toString(16)}\r\n`, TEXT],
  ['lacks the end of gzip', `${OK}content-encoding: gzip\r\n\r\n`, gzipSync(TEXT).subarray(0, -8)],
  ['lacks the end of brotli', `${OK}content-encoding: br\r\n\r\n`, brotliCompressSync(TEXT).subarray(0, -1)],
  [
    'is shorter than promised, and compressed',
    `${OK}content-encoding: gzip\r\ncontent-length: 999\r\n\r\n`,
    gzipSync(TEXT),
  ],
])('reads a page that %s, as cut', async (_, head, body) => {
  expect(await served(head, body)).toMatchObject({ text: TEXT, isCut: true })
})

test('keeps what it decoded of gzip that ends anywhere, and refuses what has no text yet', async () => {
  const text = Array.from({ length: 4_000 }, (_, n) => `${n * 7919}`).join(' ')
  const packed = gzipSync(text)
  const cut = fc.asyncProperty(fc.integer({ min: 1_000, max: packed.length - 1 }), async end => {
    const page = await served(`${OK}content-encoding: gzip\r\n\r\n`, packed.subarray(0, end))
    expect(page.isCut).toBe(true)
    expect(text.startsWith(page.text)).toBe(true)
    expect(page.text.length).toBeGreaterThan((text.length * (end / packed.length)) / 2)
  })
  await holds(15, cut)
  await expect(served(`${OK}content-encoding: gzip\r\n\r\n`, TEXT)).rejects.toThrow()
  await expect(served(`${OK}content-length: 999\r\n\r\n`)).rejects.toThrow()
})

test('reads a page with a charset in place of its compression; another word is refused', async () => {
  expect(await served(`${OK}content-encoding: UTF-8\r\n\r\n`, TEXT)).toMatchObject({
    text: TEXT,
    isCut: false,
  })
  await expect(served(`${OK}content-encoding: deflate\r\n\r\n`, TEXT)).rejects.toThrow('not asked for')
})

// EVIDENCE-OF docs/decisions/web-search.md: lines that end with a line feed alone, and lines that are no header field
test('reads heads that browsers read, in whatever pieces they come', async () => {
  const line = fc.constantFrom(
    'content-type: text/html',
    'X Powered By: mill',
    'no field at all',
    ': nothing',
    'x-control: a\u0001b',
    'set-cookie: a=b',
    ' folded',
  )
  const head = fc.record({
    lines: fc.array(line, { maxLength: 6 }),
    ends: fc.array(fc.constantFrom('\r\n', '\n'), { minLength: 12, maxLength: 12 }),
    interim: fc.integer({ min: 0, max: 3 }),
    cut: fc.array(fc.nat({ max: 400 }), { maxLength: 4 }),
  })
  const read = fc.asyncProperty(head, async ({ lines, ends, interim, cut }) => {
    const [first, ...others] = ends
    const whole =
      `HTTP/1.1 103 Early Hints${first}link: </a>${first}${first}`.repeat(interim) +
      ['HTTP/1.1 200 OK', ...lines, ''].map((one, at) => `${one}${others[at]}`).join('') +
      TEXT
    const places = [0, ...cut.sort((one, other) => one - other), whole.length]
    const pieces = places.slice(1).map((place, at) => whole.slice(places[at], place))
    expect((await served(...pieces)).text).toBe(TEXT)
  })
  await holds(30, read)
})

test.each([
  ['too long', `x: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['without end', 'x: a'],
  [
    'with a length and chunks',
    'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  ],
])('refuses a head %s', async (_, fields) => {
  await expect(served(`${OK}${fields}`)).rejects.toThrow()
})

describe('cookies', () => {
  // EVIDENCE-OF docs/reference/shipped-tools.md: Cookies that a page sets while it redirects go back to that host within the same
  //   redirects, and nowhere else.
  test('a page that sets one and leads back to itself is read, and the next request knows none', async () => {
    const server = await fakeServer((response, { headers }) => {
      if (headers.cookie === 'seen=1') response.writeHead(200, { 'content-type': 'text/html' }).end(TEXT)
      else response.writeHead(302, { location: '/', 'set-cookie': 'seen=1; Path=/; HttpOnly' }).end()
    })
    const own = Number(new URL(server.url).port)
    const rules = { ports: [own], privateHosts: ['127.0.0.1'], userAgent: 'test' }
    for (let time = 0; time < 2; time += 1)
      expect(Buffer.from((await fetchPage(server.url, rules, signal)).bytes).toString()).toBe(TEXT)
    expect(server.received.map(({ headers }) => headers.cookie)).toEqual([
      undefined,
      'seen=1',
      undefined,
      'seen=1',
    ])
  })

  const HOSTS = ['a.example', 'www.a.example', 'example', 'b.example', 'co.uk', 'a.co.uk']
  const address = fc
    .record({
      scheme: fc.constantFrom('http', 'https'),
      host: fc.constantFrom(...HOSTS),
      path: fc.constantFrom('/', '/in', '/in/', '/in/side', '/inside'),
    })
    .map(({ scheme, host, path }) => new URL(`${scheme}://${host}${path}`))

  test('none goes to another host, whatever domain it names, nor a secure one over plain HTTP', async () => {
    const attributes = fc.array(
      fc.constantFrom('Domain=example', 'Domain=.co.uk', 'Domain=b.example', 'Path=/', 'Path=/in', 'Secure'),
    )
    const steps = fc.array(fc.tuple(address, attributes), { maxLength: 4 })
    const sent = fc.property(steps, address, (steps, last) => {
      const cookies = new Cookies()
      for (const [at, [url, more]] of steps.entries())
        cookies.keep(url, [[`c${at}=${url.hostname}`, ...more].join('; ')])
      for (const pair of cookies.headerFor(last)?.split('; ') ?? []) {
        const [, at = '', host] = /^c(\d)=(.*)$/.exec(pair) ?? []
        expect(host).toBe(last.hostname)
        if (steps[Number(at)]![1].includes('Secure')) expect(last.protocol).toBe('https:')
      }
    })
    await holds(300, sent)
  })

  test.each<[string, string, string, string | undefined]>([
    ['its path', 'http://a.example/in/x', 'a=1', 'http://a.example/other'],
    ['a path beside it', 'http://a.example/', 'a=1; Path=/in', 'http://a.example/inside'],
    ['its end', 'http://a.example/', 'a=1; Max-Age=0', 'http://a.example/'],
    ['its day', 'http://a.example/', 'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'http://a.example/'],
  ])('one is not sent beyond %s', (_, from, line, to) => {
    const cookies = new Cookies()
    cookies.keep(new URL(from), ['a=0; Path=/in', line])
    expect(cookies.headerFor(new URL(to!)) ?? '').not.toContain('a=1')
  })

  test('the later one of a name counts', () => {
    const cookies = new Cookies()
    cookies.keep(new URL('http://a.example/'), ['a=1', 'b=2; Path=/', 'a=x=y'])
    expect(cookies.headerFor(new URL('https://a.example/in'))).toBe('b=2; a=x=y')
  })
})
