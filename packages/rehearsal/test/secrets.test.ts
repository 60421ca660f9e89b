import { fakeKey, fakeSecrets, redactor, searcher } from '@agent-task-service/rehearsal/secrets'
import { expect, test } from 'vitest'

const findTrace = (text: string, secret: string) => searcher(text)(secret)
const made = fakeSecrets()
/** The random part of a secret, without the rest of its form. */
const coreOf = (secret: string) =>
  secret
    .match(/[A-Za-z0-9]{24,}/g)!
    .at(-1)!
    .slice(-24)

test('fake secrets are new every time, and have many forms', () => {
  expect(new Set([...made, ...fakeSecrets()]).size).toBe(2 * made.length)
  expect(fakeKey()).toMatch(/^sk-[a-z0-9]{24}$/)
})

const writings: [form: string, write: (secret: string) => string][] = [
  ['verbatim', secret => `key=${secret};`],
  ['as JSON', secret => JSON.stringify({ key: secret })],
  ['as JSON in JSON', secret => JSON.stringify(JSON.stringify({ key: secret }))],
  ['percent-encoded', secret => `?key=${encodeURIComponent(secret)}`],
  ['form-encoded', secret => new URLSearchParams({ key: secret }).toString()],
  ['in base64', secret => Buffer.from(secret).toString('base64')],
  ['in base64 after 1 byte', secret => Buffer.from(`x${secret}yz`).toString('base64')],
  ['in base64 after 2 bytes', secret => Buffer.from(`xx${secret}y`).toString('base64')],
  ['in URL-safe base64', secret => Buffer.from(`Basic ${secret}`).toString('base64url')],
  [
    'escaped letter by letter',
    secret => secret.replace(/./gu, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  ['percent-encoded letter by letter', secret => Buffer.from(secret).toString('hex').replace(/../g, '%$&')],
  ['in HTML', secret => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
  ['on two lines', secret => `${secret.slice(0, secret.length / 2)}\n    ${secret.slice(secret.length / 2)}`],
  ['as decimal bytes', secret => `[${[...Buffer.from(secret)].join(' ')}]`],
  [
    'as hexadecimal bytes',
    secret =>
      `<Buffer ${Buffer.from(secret)
        .toString('hex')
        .replace(/..(?=.)/g, '$& ')}>`,
  ],
  ['without its last three', secret => secret.slice(0, -3)],
  ['without its first three, in base64', secret => Buffer.from(secret.slice(3)).toString('base64')],
  ['cut short', secret => secret.slice(0, secret.lastIndexOf(coreOf(secret)) + 24)],
]

test.for(writings)('finds a secret %s', ([, write]) => {
  for (const secret of made) {
    const text = `2026-11-21 run ${write(secret)} done`
    expect(findTrace(text, secret), text).toBeDefined()
  }
})

test('finds no secret in other text', () => {
  const text = made.join(' ')
  for (const secret of fakeSecrets()) expect(findTrace(text, secret)).toBeUndefined()
})

// EVIDENCE-OF docs/reference/acceptance-checks.md: Of a fake one, any eight of the random characters do, or five behind the last
//   three of what its form begins with: `sk-` and five.
test('finds eight random characters of a fake secret, or five behind its beginning, and no fewer', () => {
  for (const secret of made) {
    const core = coreOf(secret)
    for (let at = 0; at + 8 <= core.length; at += 1)
      expect(findTrace(`key ${core.slice(at, at + 8)}…`, secret)).toBeDefined()
    const start = secret.lastIndexOf(core)
    const beginning = secret.slice(Math.max(0, start - 3), start)
    expect(findTrace(`key ${beginning}${core.slice(0, 8 - beginning.length)}***`, secret)).toBeDefined()
    for (const shown of [`${beginning}${core.slice(0, 4)}`, core.slice(0, 7), core.slice(-7)])
      expect(findTrace(`key=${shown}…${core.slice(-4)} abcd`, secret), shown).toBeUndefined()
  }
  expect(findTrace(`as ${fakeKey().slice(0, 8)}`, fakeKey())).toBeUndefined()
})

test('a short value is an ordinary word', () => {
  expect(findTrace('ollama', 'ollama')).toBeUndefined()
  expect(findTrace('1234567', '1234567')).toBeUndefined()
  expect(findTrace('12345678', '12345678')).toBeDefined()
})

test('tokens that begin alike can be told apart', () => {
  const [one, other] = ['a', 'b'].map(
    name => `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${name.repeat(30)}.${name.repeat(40)}`,
  )
  expect(findTrace(other!, one!)).toBeUndefined()
})

test('a report shows no secret, in any form', () => {
  const redact = redactor(made)
  for (const [, write] of writings) {
    for (const secret of made) expect(findTrace(redact(`a ${write(secret)} b`), secret)).toBeUndefined()
  }
  expect(redact('nothing to hide')).toBe('nothing to hide')
})
