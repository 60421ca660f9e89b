import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { some } from '@agent-task-service/test-support/at-length'
import { until } from '@agent-task-service/test-support/until'
import { expect, onTestFinished, test } from 'vitest'
import { fetchPage } from '../../web-search/fetch-page.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`

/** How replies begin, and what they go on with for ever. */
const REPLIES: Readonly<Record<string, readonly [begin: string, more: string | Buffer]>> = {
  'interim replies 100': ['', 'HTTP/1.1 100 x\r\n\r\n'],
  'interim replies with headers': ['', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
  'blank lines': ['', '\r\n'],
  'a status without end': ['HTTP/1.1 200 ', 'OK'],
  headers: [OK, 'x: y\r\n'],
  'a header without end': [`${OK}x: `, 'y'],
  'chunks of one byte': [CHUNKED, '1\r\nx\r\n'],
  'chunk extensions': [CHUNKED, '1;a=b\r\nx\r\n'],
  'a chunk extension without end': [`${CHUNKED}1;`, 'a'],
  'a chunk size without end': [CHUNKED, '0'],
  trailers: [`${CHUNKED}1\r\nx\r\n0\r\n`, 'x: y\r\n'],
  'compressed nothing': [`${OK}content-encoding: gzip\r\n\r\n`, gzipSync('')],
  'compressed spaces': [`${OK}content-encoding: gzip\r\n\r\n`, gzipSync(Buffer.alloc(100 * 2 ** 20, ' '))],
  text: [`${OK}\r\n`, 'word '],
}

// EVIDENCE-OF docs/reference/threat-model.md: | | A server sends replies that never end |
test.each(some(Object.entries(REPLIES), 4))('%s: gives up by itself, soon', async (_, [begin, more]) => {
  let closed = 0
  const piece = Buffer.concat(Array(Math.ceil(2 ** 16 / more.length)).fill(Buffer.from(more as string)))
  const server = createServer(socket => {
    socket
      .on('error', () => {})
      .on('close', () => {
        closed += socket.bytesWritten
      })
    socket.on('drain', pump).write(begin)
    function pump() {
      while (!socket.destroyed && socket.write(piece));
    }
    pump()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const rules = { ports: [port], privateHosts: ['127.0.0.1'], userAgent: 'test' }
  // It is not the signal that ends it.
  const { signal } = new AbortController()
  const bytes = await fetchPage(`http://127.0.0.1:${port}/`, rules, signal).then(
    page => page.bytes.length,
    () => 0,
  )
  expect(bytes).toBeLessThanOrEqual(2 * 2 ** 20)
  await until(() => closed > 0)
  // With what the buffers of both sockets hold.
  expect(closed).toBeLessThan(64 * 2 ** 20)
})

// EVIDENCE-OF docs/reference/threat-model.md: | | A server sends replies that never end |
test.each([
  { interim: 8, text: 'word' },
  { interim: 9, text: undefined },
])('a page behind $interim interim replies is $text', async ({ interim, text }) => {
  const reply = `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(interim)}${OK}content-length: 4\r\n\r\nword`
  const server = createServer(socket => socket.on('error', () => {}).end(reply)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const rules = { ports: [port], privateHosts: ['127.0.0.1'], userAgent: 'test' }
  const read = fetchPage(`http://127.0.0.1:${port}/`, rules, new AbortController().signal).then(
    ({ bytes }) => Buffer.from(bytes).toString(),
    () => undefined,
  )
  expect(await read).toBe(text)
})
