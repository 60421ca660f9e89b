import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listening, listen } from '../../src/http/server.ts'
import { rawSocket, responsesIn } from '../support/raw-socket.ts'
import { testService } from '../support/service.ts'

let server: Listening

beforeAll(async () => {
  const service = await testService()
  const limits = {
    headersTimeout: 300,
    requestTimeout: 300,
    connectionsCheckingInterval: 50,
    keepAliveTimeout: 100,
  }
  server = await listen(service, { port: 0, hostname: '127.0.0.1' }, { ...limits, silenceTimeout: 5000 })
})
afterAll(async () => await server.drain(1000))

/** Violations of HTTP's RFCs that get past Node's parser, or end in it. */
const HTTP: readonly (readonly [what: string, request: string])[] = [
  ['garbage', '\x00\x01\x02\x03\r\n\r\n'],
  ['bad percent escapes', 'GET /%zz%%%1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an absolute target', 'GET http://other/health HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an invalid Host', 'GET /health HTTP/1.1\r\nHost: <script>\r\n\r\n'],
  [
    'Content-Length and Transfer-Encoding',
    'POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  [
    'less than declared',
    'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{}',
  ],
  [
    'no last chunk',
    'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n',
  ],
  [
    'credentials of bytes',
    'POST /run HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \xff\xfe\r\nContent-Length: 2\r\n\r\n{}',
  ],
]

async function expectSane(request: string): Promise<void> {
  const { socket, closed } = rawSocket(server.port, Buffer.from(request, 'latin1'))
  socket.end()
  for (const { status, body } of responsesIn(await closed)) {
    expect(status).toBeLessThan(500)
    if (body !== '') expect(JSON.parse(body)).toBeTypeOf('object')
  }
}

async function expectAlive(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${server.port}/health`)
  expect([response.status, await response.json()]).toMatchObject([200, { status: 'ok' }])
}

test.each(HTTP)('%s', async (_what, request) => {
  await expectSane(request)
  await expectAlive()
})
