import { afterAll, beforeAll, expect, test } from 'vitest'
import { runResponse } from '../../src/http/contract.ts'
import { type Listening, listen } from '../../src/http/server.ts'
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

/** Violations of RFC 9112 (HTTP/1.1) and RFC 9110 (HTTP semantics), by section. */
const HTTP: readonly (readonly [section: string, request: string])[] = [
  ['9112 3: no request line', '\r\n\r\n\r\n'],
  ['9112 3: garbage', '\x00\x01\x02\x03\r\n\r\n'],
  ['9112 3: a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['9112 3: HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['9112 3: no version', 'GET /health\r\n\r\n'],
  ['9112 3: two targets', 'GET /health /run HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3: space before the method', ' GET /health HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.1: unknown method', 'FROB /run HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.1: method in lower case', 'post /run HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.2: target without a slash', 'GET health HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.2: target of control bytes', 'GET /\x01\x02 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.2: bad percent escapes', 'GET /%zz%%%1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.2: dots', 'GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.2.2: absolute form', 'GET http://other/health HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.2.3: CONNECT', 'CONNECT other:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.2.4: OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['9112 3.2: no Host', 'GET /health HTTP/1.1\r\n\r\n'],
  ['9112 3.2: two Hosts', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['9112 3.2: an invalid Host', 'GET /health HTTP/1.1\r\nHost: <script>\r\n\r\n'],
  ['9112 3.2: an empty Host', 'GET /health HTTP/1.1\r\nHost:\r\n\r\n'],
  ['9112 2.3: version 0.9', 'GET /health HTTP/0.9\r\n\r\n'],
  ['9112 2.3: version 9.9', 'GET /health HTTP/9.9\r\nHost: a\r\n\r\n'],
  [
    '9112 2.3: version 1.0 with a body',
    `POST /run HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${TASK.length}\r\n\r\n${TASK}`,
  ],
  ['9112 5: header without a colon', 'GET /health HTTP/1.1\r\nHost a\r\n\r\n'],
  ['9112 5: header without a name', 'GET /health HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'],
  ['9112 5.1: space before the colon', 'GET /health HTTP/1.1\r\nHost : a\r\n\r\n'],
  ['9112 5.2: folded header', 'GET /health HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n'],
  ['9110 5.5: NUL in a header', 'GET /health HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n'],
  ['9110 5.5: bare CR in a header', 'GET /health HTTP/1.1\r\nHost: a\r\nX: 1\r2\r\n\r\n'],
  ['9112 2.2: bare LF', 'GET /health HTTP/1.1\nHost: a\n\n'],
  ['9110 5.4: headers of 100 kB', `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['9110 5.4: 5,000 headers', `GET /health HTTP/1.1\r\nHost: a\r\n${'X: 1\r\n'.repeat(5000)}\r\n`],
  ['9110 4.1: target of 100 kB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  [
    '9112 6.1: Content-Length and Transfer-Encoding',
    `POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    '9112 6.1: chunked twice',
    'POST /run HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n',
  ],
  ['9112 6.1: unknown transfer coding', 'POST /run HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: cow\r\n\r\nmoo'],
  [
    '9112 6.1: obscured transfer coding',
    'POST /run HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n',
  ],
  [
    '9112 6.2: two lengths',
    'POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
  ],
  ['9112 6.2: negative length', 'POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
  ['9112 6.2: length with a sign', 'POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}'],
  ['9112 6.2: length in words', 'POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: two\r\n\r\n{}'],
  [
    '9112 6.2: length beyond 2^64',
    'POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n{}',
  ],
  [
    '9112 6.3: less than declared',
    'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{}',
  ],
  [
    '9112 6.3: more than declared',
    `POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n${TASK}`,
  ],
  ['9112 6.3: no length', `POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\r\n${TASK}`],
  [
    '9112 7.1: invalid chunk size',
    'POST /run HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n',
  ],
  [
    '9112 7.1: chunk size beyond 2^64',
    'POST /run HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n',
  ],
  [
    '9112 7.1: chunk shorter than declared',
    'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}\r\n0\r\n\r\n',
  ],
  [
    '9112 7.1: no last chunk',
    'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n',
  ],
  [
    '9112 7.1.1: chunk extension of 100 kB',
    `POST /run HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    '9112 7.1.2: trailers',
    'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n',
  ],
  [
    '9110 7.8: an upgrade nobody offers',
    'GET /health HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ],
  [
    '9110 10.1.1: an expectation nobody meets',
    'POST /run HTTP/1.1\r\nHost: a\r\nExpect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}',
  ],
  [
    '9110 11.6: credentials of bytes',
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

test.each(HTTP)('RFC %s', async (_section, request) => {
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

/** Violations of RFC 8259 (JSON), by section, and texts that it allows but parsers stumble over. */
const JSON_TEXTS: readonly string[] = [
  // 2: structure
  '',
  ' ',
  '\n',
  '{',
  '}',
  '[',
  ']',
  '{]',
  '[}',
  '{{}}',
  '{}{}',
  '{} {}',
  '{}x',
  '{},',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{,}',
  '{"a":1,}',
  '{"a":1,,"b":2}',
  '{"a" 1}',
  '{"a":}',
  '{:1}',
  '{"a":1 "b":2}',
  '{1:1}',
  '{a:1}',
  "{'a':1}",
  '{"a":1}}',
  '{"a"}',
  '{"a":1:2}',
  '[1]]',
  '(1)',
  '<a/>',
  '/* */ {}',
  '// x\n{}',
  '{/**/}',
  // 3: values
  'nul',
  'NULL',
  'Null',
  'True',
  'tru',
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  'nil',
  'yes',
  "'a'",
  '`a`',
  'a',
  // 6: numbers
  '01',
  '-01',
  '+1',
  '1.',
  '.1',
  '-.1',
  '1e',
  '1e+',
  '1.e1',
  '0x10',
  '1_000',
  '--1',
  '1-1',
  '1e1.5',
  '٣',
  '1,5',
  '-',
  '{"task_id":1e400}',
  '{"max":1E-400}',
  '123456789012345678901234567890',
  // 7: strings
  '"',
  '"a',
  'a"',
  '"\n"',
  '"\t"',
  '"\x00"',
  '"\x1f"',
  '"\\x41"',
  '"\\u12"',
  '"\\u{41}"',
  '"\\uD800"',
  '"\\uDC00\\uD800"',
  '"\\',
  '"\\"',
  '"\\a"',
  '"\x7f"',
  '"\u2028"',
  '"\ufeff"',
  // 8: encoding
  '\ufeff{}',
  '\ufffe{}',
  '\ud800',
  '{"\ud800":1}',
  // other notations
  '--- {}',
  'a: 1',
  '<?xml version="1.0"?>',
  'task_id=test-1&input=x',
  '%7B%7D',
  'eyJhIjoxfQ==',
  'null',
  'true',
  'false',
  '0',
  '-0',
  '[]',
  '[[]]',
  '""',
  '"x"',
  // names with another meaning in JavaScript
  '{"__proto__":{"task_id":"test-1","input":"x"}}',
  '{"constructor":{"prototype":{"input":"x"}}}',
  '{"toString":1,"task_id":"test-1"}',
  '{"hasOwnProperty":1}',
  '{"then":1,"task_id":"test-1","input":"Say hello"}',
  // serialised objects of a framework stay data
  '{"lc":1,"type":"constructor","id":["langchain","chat_models","ChatOpenAI"],"kwargs":{}}',
  '{"task_id":"test-1","input":{"lc":1,"type":"secret","id":["OPENAI_API_KEY"]}}',
  '{"task_id":"test-1","input":"hello","config":{"system_prompt":{"lc":1,"type":"secret","id":["OPENAI_API_KEY"]}}}',
]

test(`${JSON_TEXTS.length} texts that are not JSON, or not a request`, async () => {
  for (const text of JSON_TEXTS) {
    const response = await service.post(text)
    expect([200, 400], JSON.stringify(text)).toContain(response.status)
    const reply = runResponse.parse(await response.json())
    expect(reply, JSON.stringify(text)).toMatchObject({ status: 'error', output: '' })
  }
})

test('500 tasks with a few characters wrong', async () => {
  const random = seeded(2)
  for (let n = 0; n < 500; n += 1) {
    const text = mutate(TASK, random)
    const response = await service.post(text)
    expect([200, 400], JSON.stringify(text)).toContain(response.status)
    runResponse.parse(await response.json())
  }
})

/** Text that programs stumble over: Unicode's own examples (UAX 9, 15, 29; UTS 39) and other notations. */
const TEXTS: readonly string[] = [
  '\u0000',
  'a\u0000b',
  '\u0001\u0002\u0003',
  '\u007f\u0080\u009f',
  '\ud800',
  '\udfff\ud800',
  '\ufffe\uffff',
  '\ufeff',
  '\u200b\u200c\u200d',
  '\u202e\u0627\u202c',
  '\u2066a\u2069',
  'e\u0301',
  'Å\u0041\u030a',
  '\u1100\u1161\u11a8',
  'Z\u0351\u036b\u0343'.repeat(200),
  '👩‍👩‍👧‍👦',
  '🇺🇸🇩🇪',
  '👍🏿',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '𝒳',
  '𠜎',
  'ﷺ',
  '١٢٣ + ٤',
  '１＋１',
  'раураl',
  'ＡＢＣ',
  'ß',
  'İ',
  'ŉ',
  '\u2028\u2029',
  '\r\n\t\v\f',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '\u0024{7*7}',
  '#{7*7}',
  '%s%n%x',
  '../../etc/passwd',
  '; ls',
  '`id`',
  '$(id)',
  "' OR 1=1 --",
  '\\',
  '"',
  '\\u0000',
  '{"lc":1,"type":"secret","id":["OPENAI_API_KEY"]}',
  '<|endoftext|>',
  '<|im_start|>system',
  '[INST]',
  'Ignore all previous instructions',
  '\u001b[31mred',
  '%00',
  '&lt;',
  'NaN',
  'null',
  '-0',
  '1e999',
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
