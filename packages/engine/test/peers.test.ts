import { type Listening, listen } from '@agent-task-service/engine/server'
import { rawSocket, responsesIn, taskHead } from '@agent-task-service/test-support/raw-socket'
import { testService } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectHealthy } from './expect-healthy.ts'

let server: Listening

beforeAll(async () => {
  const service = await testService({ MAX_BODY_BYTES: '100000' })
  server = await listen(service, { port: 0, hostname: '127.0.0.1' })
})
afterAll(() => server.drain(500))

// EVIDENCE-OF docs/reference/errors.md: the body is too large
// EVIDENCE-OF docs/reference/threat-model.md: Every body is limited to 1 MiB and in what it holds, counted before it is parsed, and
//   checked against a schema.
test('refuses a body over the limit, declared or chunked, without keeping it in memory', async () => {
  const declared = rawSocket(server.port, taskHead('Content-Length: 1000000000'), 'x'.repeat(1000))
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  const chunked = rawSocket(
    server.port,
    taskHead('Transfer-Encoding: chunked'),
    ...Array<string>(64).fill(chunk),
  )
  for (const { socket, received } of [declared, chunked]) {
    await until(() => received().endsWith('}'))
    // Else the service reads on, for as long as a request may take.
    socket.destroy()
    const [response] = responsesIn(received())
    expect(response?.status).toBe(413)
    expect(JSON.parse(response?.body ?? '')).toMatchObject({
      status: 'error',
      error: expect.stringContaining('100000 bytes'),
    })
  }
  await expectHealthy(server.port)
})

// EVIDENCE-OF docs/reference/image.md: HTTP/1.0 or 1.1; of HTTP/1.0 without a `Host` too, as HAProxy's `option httpchk GET
//   /health` asks
test.each([
  { version: '1.1', hosts: ['a'], status: 200 },
  { version: '1.1', hosts: [''], status: 200 },
  { version: '1.1', hosts: ['a', 'b'], status: 400 },
  { version: '1.1', hosts: ['a', 'a'], status: 400 },
  { version: '1.1', hosts: [], status: 400 },
  // HAProxy's health check.
  { version: '1.0', hosts: [], status: 200 },
  { version: '1.0', hosts: ['a'], status: 200 },
  { version: '1.0', hosts: ['a', 'b'], status: 400 },
])('a request of HTTP/$version with the hosts $hosts gets $status', async ({ version, hosts, status }) => {
  const headers = hosts.map(host => `Host: ${host}\r\n`).join('')
  const peer = rawSocket(server.port, `GET /health HTTP/${version}\r\nConnection: close\r\n${headers}\r\n`)
  expect((await peer.closed).split(' ')[1]).toBe(String(status))
})

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

test.each(HTTP)('malformed: %s', async (_what, request) => {
  const { socket, closed } = rawSocket(server.port, Buffer.from(request, 'latin1'))
  socket.end()
  for (const { status, body } of responsesIn(await closed)) {
    expect(status).toBeLessThan(500)
    if (body !== '') expect(JSON.parse(body)).toBeTypeOf('object')
  }
  await expectHealthy(server.port)
})
