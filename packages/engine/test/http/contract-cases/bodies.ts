import { accepted, type ContractCase, refused, runError } from './contract-case.ts'

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

/** A valid request of so many values, of which four are its own, or of so many names, of which three are. */
const holding = (extra: string) => `{"task_id":"test-1","input":"hello","extra":${extra}}`
const values = (count: number) => holding(`[${Array(count - 3).fill(1)}]`)
const names = (count: number) => holding(`{${Array.from({ length: count - 3 }, (_, n) => `"${n}":1`)}}`)
const tooComplex =
  'the body holds too much: expected at most 100000 values and 20000 names of members, got more'

const notJson: [name: string, body: string | Uint8Array<ArrayBuffer>][] = [
  ['empty', ''],
  ['a word', 'hello'],
  ['cut off', GOOD.slice(0, -1)],
  ['trailing garbage', `${GOOD} garbage`],
  ['UTF-16 without a byte order mark', Uint8Array.from(Buffer.from(GOOD, 'utf16le'))],
]

const inString = (...values: number[]) =>
  join(utf8('{"task_id":"test-1","input":"caf'), bytes(...values), utf8('"}'))
const notUtf8: [name: string, body: Uint8Array<ArrayBuffer>][] = [
  ['Latin-1', inString(0xe9)],
  ['a surrogate', inString(0xed, 0xa0, 0x80)],
  ['UTF-16 with a byte order mark', Uint8Array.from(Buffer.from(`\ufeff${GOOD}`, 'utf16le'))],
]

const notObjects: [name: string, body: string, got: string][] = [
  ['null', 'null', 'null'],
  ['an array', '[]', 'an array'],
  ['a string', '"hello"', 'the string "hello"'],
  ['a boolean', 'true', 'the boolean true'],
  ['an array nested 100,000 deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'an array'],
]

const MEDIA_TYPE = 'the body must be sent as application/json, in UTF-8, uncompressed'
const goodTypes = [
  'application/json;charset=utf-8',
  'application/json; charset="UTF-8"',
  'Application/JSON',
  'application/vnd.x+json',
  'application/json; charset=utf8',
  'application/json; x="; charset=latin1"; CHARSET=UTF-8',
]
const wrongCharsets: [parameter: string, charset: string][] = [
  ['charset=iso-8859-1', 'iso-8859-1'],
  ['x=y;charset="windows-1252"', 'windows-1252'],
  ['charset=utf-80', 'utf-80'],
]
const wrongTypes: [type: string, got: string][] = [
  ['text/plain', 'the string "text/plain"'],
  ['application/jsonp', 'the string "application/jsonp"'],
  ['application/json, text/plain', 'the string "application/json, text/plain"'],
  ['application/+json', 'the string "application/+json"'],
  ['json', 'the string "json"'],
  ['', 'an empty string'],
]
const wrongEncodings = ['gzip', 'identity, gzip']

export const bodies: readonly ContractCase[] = [
  ...notJson.map(([name, body]) =>
    refused(`body that is not JSON: ${name}`, { body }, 400, 'the body is not JSON'),
  ),
  ...notObjects.map(([name, body, got]) =>
    refused(`body that is no object: ${name}`, { body }, 400, `the body is not a JSON object: got ${got}`),
  ),
  accepted('body: white space around it', 'test-1', { body: `\r\n\t ${GOOD} \n` }),
  accepted('body: a byte order mark', 'test-1', { body: join(bytes(0xef, 0xbb, 0xbf), utf8(GOOD)) }),
  ...notUtf8.map(([name, body]) =>
    refused(`body that is not UTF-8: ${name}`, { body }, 400, 'the body is not UTF-8'),
  ),
  accepted('body: UTF-8 of one to four bytes', 'test-1', { body: inString(...utf8('é€🤖')) }, { input: 'café€🤖' }),

  accepted('body: as large as it may be', 'test-1', { body: sized(LIMIT) }),
  refused('body: a byte too large', { body: sized(LIMIT + 1) }, 413, tooLarge(LIMIT)),
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
  accepted('body: as many values as it may have', 'test-1', { body: values(100_000) }),
  refused('body: a value too many', { body: values(100_001) }, 413, tooComplex),
  accepted('body: as many names as it may have', 'test-1', { body: names(20_000) }),
  refused('body: a name too many', { body: names(20_001) }, 413, tooComplex),
  refused('body: 900 kB of brackets', { body: '['.repeat(900_000) }, 413, tooComplex),
  accepted('body: a text of brackets, commas and colons', 'test-1', {
    body: JSON.stringify({ task_id: 'test-1', input: 'hello', extra: '[{,:"\\'.repeat(100_000) }),
  }),
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
  ...wrongCharsets.map(([parameter, charset]) =>
    refused(
      `Content-Type application/json; ${parameter}`,
      { body: GOOD, headers: { 'content-type': `application/json; ${parameter}` } },
      415,
      `${MEDIA_TYPE}: got the charset the string "${charset}"`,
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
