import { declaredVariables, isSecret, readConfig } from '@agent-task-service/engine/config'
import { jsonObject, listOf, oneOf, secret, wholeNumber } from '@agent-task-service/engine/settings'
import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { withSecrets } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { expect, test } from 'vitest'
import { z } from 'zod'

test('every variable whose value is a secret by its nature is marked, and no other', () => {
  const types = declaredVariables(agent)
  const byName = Object.keys(types).filter(
    name => /KEY|TOKEN|HEADERS|REDIS_URL/.test(name) && !name.includes('MAX_'),
  )
  const marked = Object.entries(types).filter(([, type]) => isSecret(type))
  expect(byName).toContain('AGENT_TOKENS')
  expect(marked.map(([name]) => name)).toEqual(byName)
})

const text = z.string()
interface Node {
  readonly next?: Node | undefined
}
const recursive: z.ZodType<Node> = z.object({
  get next() {
    return recursive.optional()
  },
})

const types: [what: string, type: z.ZodType, expected: boolean][] = [
  ['a text', text, false],
  ['a description', text.describe('Secret key of the shop'), false],
  ['other metadata', text.meta({ title: 'Secret' }), false],
  ['a type that is a part of itself', recursive, false],
  ['a key', secret(), true],
  ['a mark by hand', text.meta({ secret: true }), true],
  ['a description after it', secret(text).describe('Key'), true],
  ['more metadata', secret(text).meta({ title: 'Key' }), true],
  ['a check after it', secret(text).min(3).refine(Boolean), true],
  ['optional', secret(text).optional().describe('Key'), true],
  ['a default', secret(text).default('none').describe('Key'), true],
  ['a transformation', secret(text).transform(Number), true],
  ['the end of a pipe', text.pipe(secret(text)), true],
  ['a list', listOf(secret(), 'a key').default([]), true],
  ['one of two', z.union([z.literal('none'), secret()]), true],
  ['a member', jsonObject.pipe(z.object({ user: text, password: secret(text) })).optional(), true],
]

test.for(types)('%s', ([, type, expected]) => {
  expect(isSecret(type)).toBe(expected)
})

const masked: [written: string | undefined, value: unknown, texts: string[]][] = [
  [undefined, undefined, []],
  ['key-of-ours', 'key-of-ours', ['key-of-ours']],
  [undefined, 'by default', ['by default']],
  ['one, two', ['one', 'two'], ['one', 'two']],
  ['{"a":{"b":["c"]}}', { a: { b: ['c'] } }, ['c']],
  ['20261127', 20_261_127, ['20261127']],
  ['a2V5', Buffer.from('key'), ['a2V5']],
]

/** What is masked of a secret that is written so, and whose type makes this of it. */
function maskedOf(written: string | undefined, value: unknown) {
  const type = secret(text)
    .optional()
    .transform(() => value)
  return readConfig({ SHOP: written }, { ...agent, variables: z.object({ SHOP: type }), needs: () => [] })
    .secrets
}

/** What is masked of a text that is declared as secret. */
const maskedIn = (written: string) => maskedOf(written, written)

test('of a key in lines each line, of JSON what it tells to be secret', () => {
  const lines = ['-----BEGIN PRIVATE KEY-----', 'MIIEvQIBADANBgkqhkiG9w0B', '-----END PRIVATE KEY-----']
  expect(maskedIn(lines.join('\n'))).toEqual([lines.join('\n'), lines[1]])
  const account = JSON.stringify({ type: 'service_account', private_key: 'MIIEvQIBADANBgkqhkiG9w0B' })
  expect(maskedIn(account)).toEqual([account, 'MIIEvQIBADANBgkqhkiG9w0B'])
})

test('of a value that a transform has made, what was written too', () => {
  expect(maskedOf('pem-line-one', { id: 'main-key', pem: 'PEM-LINE-ONE' })).toEqual([
    'main-key',
    'PEM-LINE-ONE',
    'pem-line-one',
  ])
  expect(maskedOf('one=two-of-ours', new Map([['one', 'two-of-ours']]))).toEqual(['one=two-of-ours'])
})

test.for(masked)('of %s as %s', ([written, value, texts]) => {
  expect(maskedOf(written, value)).toEqual(texts)
})

test.for(['postgres://app:p%40ss-of-ours@db/crm', new URL('postgres://app:p%40ss-of-ours@db/crm')])(
  'of a URL all of it, and its password as written and decoded: %o',
  value => {
    const texts = [String(value), 'p%40ss-of-ours', 'p@ss-of-ours']
    expect(new Set(maskedOf(String(value), value))).toEqual(new Set(texts))
  },
)

const OWN = {
  SHOP_KEY: 'c7d1-of-ours-1',
  SHOP_PINS: '11223344, 55667788',
  SHOP_WORD: 'four words are mine',
  SHOP_URL: 'postgres://app:hunter-of-ours@db/crm',
}
const variables = z.object({
  SHOP_KEY: secret().optional().describe('Signs orders'),
  SHOP_PINS: secret(listOf(text, 'a number')).default([]),
  SHOP_WORD: text.meta({ secret: true }).default('unset').describe('Opens the shop'),
  SHOP_URL: secret(z.url()).optional(),
  MOTTO: text.optional().describe('Secret key of the shop'),
})
const own = { ...agent, variables, needs: () => [] }

test('what an owner marks as secret is in no reply and no log line, whatever its type', async () => {
  const values = Object.values(OWN).flatMap(value => value.split(', '))
  const told = [...values, 'the password hunter-of-ours', 'four words are yours'].join('; ')
  const broken = tool('broken', () => {
    throw new Error(told)
  })
  const calls = { toolCalls: [{ name: 'broken' }] }
  const { run, lines } = await testService(
    { ...own, tools: { broken } },
    {
      env: { ...OWN, MOTTO: 'four words are yours', LOG_LEVEL: 'debug', LOG_ERRORS: 'full' },
      models: [new ScriptedModel([calls, told]).named()],
    },
  )
  const { output } = await run('Hello')
  expect(output).toBe(
    `${values.map(() => '[redacted]').join('; ')}; the password [redacted]; four words are yours`,
  )
  const log = JSON.stringify(lines)
  expect(log).toContain('the password [redacted]; four words are yours')
  for (const value of [...values, 'hunter-of-ours']) expect(log).not.toContain(value)
})

test('of a value in which a function finds the secrets: these, and no more', () => {
  const type = secret(z.url(), url => [new URL(url).password]).optional()
  const read = (SHOP_DB?: string) =>
    readConfig({ SHOP_DB }, { ...own, variables: z.object({ SHOP_DB: type }) }).secrets
  expect(isSecret(type)).toBe(true)
  expect(read('postgres://app:hunter-of-ours@db/crm')).toEqual(['hunter-of-ours'])
  expect(read()).toEqual([])
})

test.each(['SHOP_KYE', 'SHOP_PIN', 'SHOP_WRD'])('a misspelt name of one stops the start: %s', name => {
  expect(() => readConfig({ [name]: 'four-words' }, own)).toThrow(`${name}: unknown; did you mean SHOP_`)
})

test('of the address of Redis only the password is masked, unless a tool or its owner keeps it secret', () => {
  const REDIS_URL = 'redis://:hunter-of-ours@db:6379/0'
  const none = { ...own, variables: z.object({}) }
  const secretsWith = (more: object) => readConfig({ REDIS_URL }, { ...none, ...more }).secrets
  expect(secretsWith({})).toEqual(['hunter-of-ours'])
  const everything = ['hunter-of-ours', REDIS_URL]
  expect(secretsWith({ variables: z.object({ REDIS_URL: secret() }) })).toEqual(everything)
  expect(
    secretsWith({ tools: { cache: withSecrets(['REDIS_URL'], () => agent.tools.time as never) } }),
  ).toEqual(everything)
  expect(readConfig({ REDIS_URL: 'redis://db:6379/0' }, none).secrets).toEqual([])
})

test('secret without the call stops the start with the name of the variable, if the types have not yet', () => {
  expect(() => readConfig({}, { ...own, variables: z.object({ SHOP_KEY: secret }) as never })).toThrow(
    'Invalid element at key "SHOP_KEY": expected a Zod schema',
  )
  // @ts-expect-error: as it was once written
  expect(() => secret.optional()).toThrow('secret.optional is not a function')
})

test('a description that calls a variable secret does not pass for a mark', () => {
  const described = text.optional().describe('**Secret.** Signs orders')
  const read = (type: z.ZodType) => readConfig({}, { ...own, variables: z.object({ SHOP_KEY: type }) })
  expect(() => read(described)).toThrow(
    'the variable SHOP_KEY: expected secret() in its declaration, got only a description that begins with **Secret.**',
  )
  expect(read(secret(described)).secrets).toEqual([])
})

test('a secret of the wrong kind is refused without its value', () => {
  const shapes = { PIN: secret(wholeNumber(1)).optional(), MODE: secret(oneOf(['a', 'b'])).optional() }
  const env = { PIN: '12345678-geheim', MODE: 'geheim-mode' }
  const read = () => readConfig(env, { ...own, variables: z.object(shapes) })
  expect(read).toThrow('PIN: expected a whole number, 1 or more, got something else (not shown)')
  expect(read).not.toThrow('geheim')
})

test('a mark is seen within a lazy type, and a description within an optional one', () => {
  expect(isSecret(z.lazy(() => secret()))).toBe(true)
  const ofItself = z.object({ SHOP_TREE: recursive.optional() })
  expect(readConfig({}, { ...own, variables: ofItself }).secrets).toEqual([])
  const described = z.string().describe('**Secret.** Signs orders').optional()
  expect(() => readConfig({}, { ...own, variables: z.object({ SHOP_KEY: described }) })).toThrow('SHOP_KEY')
})
