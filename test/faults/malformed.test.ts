import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listening, listen } from '../../src/http/server.ts'
import { runResponse } from '../../src/wire/contract.ts'
import { mutate, seeded } from '../support/random.ts'
import { rawSocket, responsesIn } from '../support/raw-socket.ts'
import { type TestService, testService } from '../support/service.ts'

/** A task that the offline model refuses at once: the request itself is what counts. */
const TASK = '{"task_id":"test-1","input":"Say hello","config":{"max_tokens":10,"enabled_tools":["time"]}}'
const REQUEST = `POST /run HTTP/1.1\r\nHost: agent\r\nContent-Type: application/json\r\nContent-Length: ${TASK.length}\r\n\r\n${TASK}`

let service: TestService
let server: Listening

beforeAll(async () => {
  service = await testService()
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

test('300 requests with a few bytes wrong', async () => {
  const random = seeded(1)
  const requests = Array.from({ length: 300 }, () => mutate(REQUEST, random))
  for (let at = 0; at < requests.length; at += 50)
    await Promise.all(requests.slice(at, at + 50).map(expectSane))
  await expectAlive()
})

/** What generated texts rarely hold: Unicode's pitfalls, other notations, and what is slow to read. */
const TEXTS: readonly string[] = [
  'a\u0000b',
  '\udfff\ud800',
  '\u202e\u0627\u202c',
  'Z\u0351\u036b\u0343'.repeat(200),
  '👩‍👩‍👧‍👦',
  '１＋１',
  '../../etc/passwd',
  '{"lc":1,"type":"secret","id":["OPENAI_API_KEY"]}',
  '<|endoftext|>',
  '__proto__',
  'a'.repeat(100_000),
  `${' '.repeat(100_000)}.`,
  '('.repeat(10_000),
  '2+'.repeat(10_000),
  'in '.repeat(20_000),
]

test(`${TEXTS.length} texts as the task, the system prompt and a tool's name`, async () => {
  for (const text of TEXTS) {
    for (const body of [
      { task_id: 'test-1', input: text },
      { task_id: 'test-1', input: 'hello', config: { system_prompt: text } },
      { task_id: 'test-1', input: 'hello', config: { enabled_tools: [text] } },
      { task_id: text, input: text },
    ]) {
      const response = await service.post(body)
      expect(response.status).toBe(200)
      runResponse.parse(await response.json())
    }
  }
})
