import { expect, test } from 'vitest'
import { createRedact, secretsIn } from '../../staging/redact.ts'

const secret = 'p"a\\ss wörd/+?123'
const redact = createRedact([secret, '12345678'])

test.each([
  ['verbatim', secret],
  ['in JSON', JSON.stringify(secret)],
  ['in JSON within JSON', JSON.stringify(JSON.stringify(secret))],
  ['percent-encoded', encodeURIComponent(secret)],
  ['in base64', Buffer.from(`user:${secret}`).toString('base64')],
  ['in base64url', Buffer.from(`x${secret}`).toString('base64url')],
])('removes a known secret %s from text', (_name, form) => {
  const cleaned = redact.text(`before ${form} after`)
  expect(cleaned).toContain('[redacted]')
  expect(cleaned).not.toContain(form)
  expect(cleaned).toMatch(/^before .* after$/)
})

test.each([
  'sk-proj-abcdefghijklmnopqrstuv',
  'ghp_abcdefghijklmnopqrstuvwxyz',
  'AKIAABCDEFGHIJKLMNOP',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhYmMifQ.sig-nature',
  'Bearer abcdefghijklmnop.qrstuv',
])('removes what looks like a key: %s', key => {
  expect(redact.text(`it is ${key}`)).toBe('it is [redacted]')
})

test('JSON stays JSON: escaped, in member names, as a number, under a telling name', () => {
  const text = `{"a":"\\u0070\\"a\\\\ss wörd/+?123","${JSON.stringify(secret).slice(1, -1)}":1,"n":12345678,"api_key":"plain","deep":[{"Authorization":"Basic x"}],"max_tokens":5}`
  expect(JSON.parse(redact.text(text))).toEqual({
    a: '[redacted]',
    '[redacted]': 1,
    n: '[redacted]',
    api_key: '[redacted]',
    deep: [{ Authorization: '[redacted]' }],
    max_tokens: 5,
  })
})

test('leaves a text without secrets unchanged', () => {
  const json = '{ "a" : 1.0,\n "tokens": 5, "b": "\\u0041", "b": "again" }'
  expect(redact.text(json)).toBe(json)
  expect(redact.text('plain')).toBe('plain')
})

test('removes a secret from a duplicate member', () => {
  expect(redact.text('{"a":"12345678","a":"b"}')).not.toContain('12345678')
})

test('treats JSON nested too deeply as text', () => {
  const deep = `${'['.repeat(200_000)}"12345678"${']'.repeat(200_000)}`
  const cleaned = redact.text(deep)
  expect(cleaned).toContain('[redacted]')
  expect(cleaned).not.toContain('12345678')
})

test("recognises secrets in an environment by their variables' names", () => {
  const env = {
    OPENAI_API_KEY: ' abc ',
    AGENT_TOKENS: 'a,b',
    STAGING_AGENT_TOKEN_7: 't',
    PATH: '/bin',
    EMPTY_KEY: ' ',
  }
  expect([...secretsIn(env)]).toEqual([
    ['OPENAI_API_KEY', 'abc'],
    ['AGENT_TOKENS', 'a,b'],
    ['STAGING_AGENT_TOKEN_7', 't'],
  ])
})
