import { createRedact, secretsIn } from '@agent-task-service/rehearsal/platform'
import { expect, test } from 'vitest'

const secret = 'p"a\\ss wörd/+?123'
const redact = createRedact([secret, '12345678'])

test('removes a known secret in any form, and what looks like a key, from text', () => {
  const encoded = Buffer.from(`user:${secret}`).toString('base64')
  const cleaned = redact.text(
    `before ${JSON.stringify(secret)} ${encoded} sk-proj-abcdefghijklmnopqrstuv after`,
  )
  expect(cleaned).toMatch(/^before "\[redacted\]" \S*\[redacted\]\S* \[redacted\] after$/)
  expect(cleaned).not.toContain(encoded.slice(8))
})

test('JSON stays JSON: escaped, in member names, as a number, under a telling name', () => {
  const text = `{"a":"\\u0070\\"a\\\\ss wörd/+?123","${JSON.stringify(secret).slice(1, -1)}":1,"n":12345678,"api_key":"plain","cookies":["one",["two"],3],"deep":[{"Authorization":"Basic x"}],"max_tokens":5,"output_tokens":"1'522","total_tokens":"12345678","prompt_tokens":"4242424242424242"}`
  expect(JSON.parse(redact.text(text))).toEqual({
    a: '[redacted]',
    '[redacted]': 1,
    n: '[redacted]',
    api_key: '[redacted]',
    cookies: ['[redacted]', ['[redacted]'], 3],
    deep: [{ Authorization: '[redacted]' }],
    max_tokens: 5,
    output_tokens: "1'522",
    total_tokens: '[redacted]',
    prompt_tokens: '[redacted]',
  })
})

test('leaves a text without secrets unchanged', () => {
  const json = '{ "a" : 1.0,\n "tokens": 5, "b": "\\u0041", "b": "again" }'
  expect(redact.text(json)).toBe(json)
  expect(redact.text('plain')).toBe('plain')
})

test('copies nothing of a value without secrets', () => {
  const value = { list: [[1], { a: 'b' }], other: { deep: ['c'] } }
  expect(redact.json(value)).toBe(value)
  const [same, other] = redact.json([value, ['12345678']]) as unknown[]
  expect(same).toBe(value)
  expect(other).toEqual(['[redacted]'])
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
    DATABASE_URL: 'postgres://app:hunter2@db.example/main',
    CACHE_URL: 'redis://cache.example:6379/0',
  }
  expect([...secretsIn(env)]).toEqual([
    ['OPENAI_API_KEY', 'abc'],
    ['AGENT_TOKENS', 'a,b'],
    ['STAGING_AGENT_TOKEN_7', 't'],
    ['DATABASE_URL', 'postgres://app:hunter2@db.example/main'],
  ])
})
