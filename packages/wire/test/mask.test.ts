import { some } from '@agent-task-service/test-support/at-length'
import { fakeSecrets } from '@agent-task-service/test-support/fake-secrets'
import { createMask, maskKeyShapes } from '@agent-task-service/wire/masking'
import { expect, test } from 'vitest'

const SECRET = 'p"a\\ss-wörd/+?123'

test.each([
  ['as it is', SECRET],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in JSON within JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
  ['in that, in JSON', JSON.stringify(JSON.stringify(JSON.stringify(SECRET))).slice(7, -7)],
  ['percent-encoded', encodeURIComponent(SECRET)],
  [
    'percent-encoded in lower case',
    encodeURIComponent(SECRET).replace(/%../g, digits => digits.toLowerCase()),
  ],
  ['in a URL', encodeURI(SECRET)],
  ['in a form', new URLSearchParams({ '': SECRET }).toString().slice(1)],
  ['in HTML', SECRET.replace('"', '&quot;')],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ['in hexadecimal in upper case', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ['in HTML in JSON', JSON.stringify(SECRET.replace('"', '&#34;')).slice(1, -1)],
])('masks a known secret, and nothing around it: %s', (_name, form) => {
  expect(createMask([SECRET])(`<${form}${form}>`)).toBe('<[redacted][redacted]>')
})

test.each([
  '<b>&amp;"it\'s"</b>',
  '&lt;b&gt;&amp;amp;&quot;it&#x27;s&quot;&lt;/b&gt;',
  '&lt;b&gt;&amp;amp;&quot;it&#39;s&quot;&lt;/b&gt;',
  '&lt;b&gt;&amp;amp;&quot;it&apos;s&quot;&lt;/b&gt;',
  '&lt;b&gt;&amp;amp;"it\'s"&lt;/b&gt;',
])('masks a secret of markup as HTML writes it: %s', form => {
  expect(createMask(['<b>&amp;"it\'s"</b>'])(`<${form}>`)).toBe('<[redacted]>')
})

test('half a character in a secret, which no URL can hold, is no obstacle', () => {
  expect(createMask(['secret-\ud800-one'])('<secret-\ud800-one>')).toBe('<[redacted]>')
})

test('masks a secret of several words as a form writes it', () => {
  expect(createMask(['pass word (1)'])('<pass+word+%281%29>')).toBe('<[redacted]>')
})

test.each([
  ...[0, 1, 2].map(offset => [offset, SECRET] as const),
  ...[0, 1, 2].map(offset => [offset, '>>>>????>>>>'] as const),
])("in base64 at offset %i masks only the secret's own digits: %s", (offset, secret) => {
  const text = `${'x'.repeat(offset)}${secret}yy`
  for (const encoding of ['base64', 'base64url'] as const) {
    const masked = createMask([secret])(Buffer.from(text).toString(encoding))
    const [before = '', after = '', ...more] = masked.split('[redacted]')
    expect(more).toEqual([])
    // A digit holds 6 bits: those shared with a neighbour stay.
    expect(before).toHaveLength(Math.ceil((offset * 8) / 6))
    expect(after.replace(/=+$/, '').length).toBeLessThanOrEqual(Math.ceil((2 * 8) / 6) + 1)
  }
})

test('a value of 8 characters is a secret, one of 7 is a placeholder', () => {
  const mask = createMask(['12345678', 'ollama1'])
  expect(mask('12345678 ollama1')).toBe('[redacted] ollama1')
})

test('masks the longer of two nested secrets completely', () => {
  for (const secrets of [
    ['secret-one', 'secret-one-and-more'],
    ['secret-one-and-more', 'secret-one'],
  ])
    expect(createMask(secrets)('<secret-one-and-more> <secret-one>')).toBe('<[redacted]> <[redacted]>')
})

test('without secrets a text passes unchanged, at once', () => {
  const mask = createMask([])
  expect(mask('anything')).toBe('anything')
  expect(mask.inPieces().push('anything')).toBe('anything')
})

test('holds back only what may begin a secret, and releases it at the end of the text', () => {
  const pieces = createMask(['12345678']).inPieces()
  expect([pieces.push('a123'), pieces.push('4b12'), pieces.push('345678c'), pieces.push('1')]).toEqual([
    'a',
    '1234b',
    '[redacted]c',
    '',
  ])
  expect([pieces.flush(), pieces.flush()]).toEqual(['1', ''])
})

test.each([
  ...['123', '1234', 'sk-proj-abc', 'token: ab', 'Bearer abc', '//app:hunt', 'eyJhbGci.eyJz', 'SG.'],
])('of a text that grows, the beginning of a secret or key is left out: %s', beginning => {
  const { growing } = createMask(['12345678'])
  expect(growing(beginning)).toBe('')
  expect(growing(`it is ${beginning}`)).toBe('it is ')
  expect(growing(`it is ${beginning} `)).toBe(`it is ${beginning} `)
  expect(growing(`12345678, ${'x'.repeat(300)} ${beginning}`)).toBe(`[redacted], ${'x'.repeat(300)} `)
})

test.each(['', 'yes', 'ask', '12', 'it is 12', 'https://host/path', 'sk-proj-Abcdefghij0123456789, yes'])(
  'of a text that grows, all else is masked as in any: %s',
  text => {
    const mask = createMask(['12345678'])
    expect(mask.growing(text)).toBe(mask.external(text))
  },
)

const LONG = 'Abcdefghij0123456789'

test.each([
  `sk-${LONG}`,
  `sq0csp-${LONG}`,
  `EAA${LONG}`,
  `eyJ${LONG}`,
  `eyJ${LONG}.${LONG}.${LONG}`,
  `token": "${LONG}`,
  `api_key="${LONG}`,
  `API-Key' : '${LONG}`,
  `apikey:${LONG}`,
  `Bearer   ${LONG}`,
])('masks what looks like a key wherever a word may begin: %s', key => {
  for (const before of ['', ' ', '"', '\n', '\\n', '\\t', '\\u001b', '=', '('])
    expect(maskKeyShapes(`${before}${key}"`)).toBe(`${before}[redacted]"`)
})

test.each(some(['sk-', 'AKIA', 'eyJ', 'token: ', 'eyJaaaaaaaa.', '//user:'], 6))(
  'masks what looks like a key at any length: %s',
  beginning => {
    const key = `${beginning}${'a'.repeat(2 ** 23)}${beginning.startsWith('//') ? '@' : ''}`
    expect(maskKeyShapes(`it is ${key} `)).toBe('it is [redacted] ')
  },
)

test.each(fakeSecrets.filter(({ vendor }) => /^(?!AWS secret|with).* 1$/.test(vendor)))(
  'masks a key that nobody has declared: $vendor',
  ({ value }) => void expect(maskKeyShapes(`refused ${value}!`)).toBe('refused [redacted]!'),
)

test.each([
  `task-${LONG}`,
  'sk-short',
  'the token of appreciation',
  'https://host/a:b@c',
  `x${'sk-'}${LONG}`,
])('leaves everything else alone: %s', text => void expect(maskKeyShapes(text)).toBe(text))

test('masks credentials in a URL up to the host', () => {
  expect(maskKeyShapes('at https://user:pass@host/path and redis://:pass@host')).toBe(
    'at https:[redacted]host/path and redis:[redacted]host',
  )
})
