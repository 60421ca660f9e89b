import { cpuMsOf } from '@agent-task-service/test-support/cpu-time'
import { expect, test } from 'vitest'
import { usableSchema } from '../tool-schema.ts'

const isUsable = (schema: object) => usableSchema({ type: 'object', ...schema }) !== undefined
const a = (schema: unknown, more: object = {}) => ({ properties: { a: schema }, ...more })
const nested = (levels: number) =>
  Array.from({ length: levels }).reduce<object>(inner => ({ not: inner }), { type: 'string' })

test.each([
  ['itself', a({ $ref: '#' })],
  ['a definition', a({ $ref: '#/$defs/a' }, { $defs: { a: { type: 'string' } } })],
  ['a definition with a slash in its name', a({ $ref: '#/$defs/a~1b' }, { $defs: { 'a/b': {} } })],
  ['another property', { properties: { a: { $ref: '#/properties/b/items' }, b: { items: true } } }],
  ['an anchor', a({ $ref: '#here' }, { $defs: { a: { $anchor: 'here' } } })],
  ['an id', a({ $ref: 'https://example.com/b' }, { $defs: { b: { $id: 'https://example.com/b' } } })],
  [
    'a schema under a keyword of its own',
    a({ $ref: '#/components/schemas/b' }, { components: { schemas: { b: {} } } }),
  ],
  ['from within a schema with an id', a({ $id: 'b', $defs: { c: {} }, items: { $ref: '#/$defs/c' } })],
])('a schema may refer to %s', (_what, schema) => {
  expect(isUsable(schema)).toBe(true)
})

test.each([
  ['a reference to nowhere in a definition', { $defs: { a: { $ref: '#/$defs/b' } } }],
  ['a reference past a schema with an id', a({ $id: 'b', items: { $ref: '#/properties/a' } })],
  ['a reference to what is no schema', a({ $ref: '#/type' })],
  ['a reference to an invalid schema', a({ $ref: '#/x/b' }, { x: { b: { type: 'strng' } } })],
  ['a reference that is not well encoded', a({ $ref: '#/%zz' })],
  ['a reference to a built-in', a({ $ref: '#/constructor' })],
  ['a reference to another document', a({ $ref: 'https://example.com/b' })],
  ['an invalid definition', { $defs: { a: { type: 'strng' } } }],
  ['an invalid pattern of names', { patternProperties: { '(': {} } }],
  ['a value twice', a({ enum: [1, { b: 2 }, { b: 2 }] })],
  ['too many levels', a(nested(300))],
  ['more levels than can be counted', a(nested(100_000))],
])('refuses a schema with %s', (_what, schema) => {
  expect(isUsable(schema)).toBe(false)
})

test('what is data is no reference', () => {
  expect(isUsable(a({ default: { $ref: '#/nowhere' }, enum: [{ $ref: 7 }] }))).toBe(true)
  expect(isUsable({ properties: { $ref: { type: 'string' }, pattern: { const: '(' } } })).toBe(true)
})

test.each([
  ['choices', a({ anyOf: Array.from({ length: 1_300 }, (_, n) => ({ const: n })) })],
  ['values', a({ enum: Array.from({ length: 1_700 }, (_, n) => ({ n })) })],
  [
    'references',
    { properties: Object.fromEntries(Array.from({ length: 850 }, (_, n) => [`a${n}`, { $ref: '#' }])) },
  ],
])('a schema of 19 kB of %s takes milliseconds', async (_what, schema) => {
  expect(await cpuMsOf(() => expect(isUsable(schema)).toBe(true))).toBeLessThan(100)
})
