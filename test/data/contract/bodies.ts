import { accepted, type ContractCase, refused, runError } from '../../support/contract-case.ts'

const JSON_TYPE = 'application/json'
const GOOD = '{"task_id":"test-1","input":"hello"}'
const LIMIT = 2 ** 20
const bytes = (...values: number[]) => new Uint8Array(values)
const utf8 = (text: string) => new TextEncoder().encode(text)
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap(part => [...part]))
/** A valid request of exactly so many bytes. */
const sized = (size: number) => {
  const start = '{"task_id":"test-1","input":"hello","padding":"'
  return `${start}${'x'.repeat(size - start.length - 2)}"}`
}
const tooLarge = (limit: number) => `the body is too large: the limit is ${limit} bytes`

const notJson: [name: string, body: string | Uint8Array<ArrayBuffer>][] = [
  ['empty', ''],
  ['blank', ' \n'],
  ['a word', 'hello'],
  ['a form', 'task_id=test-1&input=hello'],
  ['cut off', GOOD.slice(0, -1)],
  ['trailing garbage', `${GOOD} garbage`],
  ['two documents', `${GOOD}\n${GOOD}`],
  ['a trailing comma', '{"task_id":"test-1","input":"hello",}'],
  ['a comment', `// run\n${GOOD}`],
  ['single quotes', "{'task_id':'test-1','input':'hello'}"],
  ['a raw line break in a string', '{"task_id":"test-1","input":"a\nb"}'],
  ['NaN', 'NaN'],
  ['undefined', 'undefined'],
  ['UTF-16', Uint8Array.from(Buffer.from(`\ufeff${GOOD}`, 'utf16le'))],
  ['invalid UTF-8 outside a string', join(utf8('{'), bytes(0xff), utf8(GOOD.slice(1)))],
  ['only invalid UTF-8', bytes(0xc3, 0x28)],
]

const notObjects: [name: string, body: string, got: string][] = [
  ['null', 'null', 'null'],
  ['an array', '[]', 'an array'],
  ['an array of requests', `[${GOOD}]`, 'an array'],
  ['a string', '"hello"', 'the string "hello"'],
  ['an empty string', '""', 'an empty string'],
  ['a number', '12', 'the number 12'],
  ['a boolean', 'true', 'the boolean true'],
  ['an array nested 100,000 deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'an array'],
]

const MEDIA_TYPE = 'the body must be sent as application/json, uncompressed'
const goodTypes = [
  'application/json;charset=utf-8',
  'application/json; charset="UTF-8"',
  'Application/JSON',
  'application/json ; charset=utf-8',
  'application/vnd.x+json',
  'application/problem+json; charset=utf-8',
]
const wrongTypes: [type: string, got: string][] = [
  ['text/plain', 'the string "text/plain"'],
  ['text/json', 'the string "text/json"'],
  ['application/jsonp', 'the string "application/jsonp"'],
  ['application/json, text/plain', 'the string "application/json, text/plain"'],
  ['application/x-www-form-urlencoded', 'the string "application/x-www-form-urlencoded"'],
  ['multipart/form-data; boundary=x', 'the string "multipart/form-data; boundary=x"'],
  ['application/+json', 'the string "application/+json"'],
  ['json', 'the string "json"'],
  ['', 'an empty string'],
]
const wrongEncodings = ['gzip', 'br', 'deflate', 'identity, gzip']

export const bodies: readonly ContractCase[] = [
  ...notJson.map(([name, body]) =>
    refused(`body that is not JSON: ${name}`, { body }, 400, 'the body is not JSON'),
  ),
  ...notObjects.map(([name, body, got]) =>
    refused(`body that is no object: ${name}`, { body }, 400, `the body is not a JSON object: got ${got}`),
  ),
  accepted('body: white space around it', 'test-1', { body: `\r\n\t ${GOOD} \n` }),
  accepted('body: a byte order mark', 'test-1', { body: join(bytes(0xef, 0xbb, 0xbf), utf8(GOOD)) }),
  accepted(
    'body: invalid UTF-8 in a string is replaced',
    'test-1',
    { body: join(utf8('{"task_id":"test-1","input":"caf'), bytes(0xe9), utf8('"}')) },
    { input: 'caf\ufffd' },
  ),

  accepted('body: as large as it may be', 'test-1', { body: sized(LIMIT) }),
  refused('body: a byte too large', { body: sized(LIMIT + 1) }, 413, tooLarge(LIMIT)),
  refused('body: too large and not JSON', { body: 'x'.repeat(LIMIT + 1) }, 413, tooLarge(LIMIT)),
  refused(
    'body: too large by its Content-Length',
    { body: GOOD, headers: { 'content-type': JSON_TYPE, 'content-length': String(LIMIT + 1) } },
    413,
    tooLarge(LIMIT),
  ),
  refused(
    'body: too large for MAX_BODY_BYTES',
    { body: GOOD, env: { MAX_BODY_BYTES: '35' } },
    413,
    tooLarge(35),
  ),
  accepted('body: as large as MAX_BODY_BYTES', 'test-1', { body: GOOD, env: { MAX_BODY_BYTES: '36' } }),
  {
    name: 'body: a task_id of nearly 1 MiB is echoed whole',
    body: { task_id: 'x'.repeat(1_000_000), input: 'hello' },
    reply: {
      status: 200,
      body: runError(
        `invalid request: task_id: expected a UUID or "test-<digits>", got the string "${'x'.repeat(40)}…"`,
        'x'.repeat(1_000_000),
      ),
    },
  },

  ...goodTypes.map(type =>
    accepted(`Content-Type ${type}`, 'test-1', { body: GOOD, headers: { 'content-type': type } }),
  ),
  ...wrongTypes.map(([type, got]) =>
    refused(
      `Content-Type ${type || '(empty)'}`,
      { body: GOOD, headers: { 'content-type': type } },
      415,
      `${MEDIA_TYPE}: got ${got}`,
    ),
  ),
  refused('no Content-Type', { body: utf8(GOOD), headers: {} }, 415, `${MEDIA_TYPE}: got no Content-Type`),
  ...wrongEncodings.map(encoding =>
    refused(
      `Content-Encoding ${encoding}`,
      { body: GOOD, headers: { 'content-type': JSON_TYPE, 'content-encoding': encoding } },
      415,
      `${MEDIA_TYPE}: got the Content-Encoding the string "${encoding}"`,
    ),
  ),
  accepted('Content-Encoding identity', 'test-1', {
    body: GOOD,
    headers: { 'content-type': JSON_TYPE, 'content-encoding': 'Identity' },
  }),
]
