import { cpuMsOf } from '@agent-task-service/test-support/cpu-time'
import { expect, test } from 'vitest'
import { readSchema } from '../tool-schema.ts'

const a = (schema: unknown, more: object = {}) => ({ properties: { a: schema }, ...more })
const nested = (levels: number, innermost: object = { type: 'string' }) =>
  Array.from({ length: levels }).reduce<object>(inner => ({ items: inner }), innermost)

/** What the model gets of the schema of an object, and which keywords were left out. */
function read(given: object) {
  const { schema, leftOut } = readSchema({ type: 'object', ...given })!
  const { type: _, ...rest } = schema
  return [rest, ...leftOut]
}

test.each([
  ['itself', a({ $ref: '#' })],
  ['a definition', a({ $ref: '#/$defs/a' }, { $defs: { a: { type: 'string' } } })],
  ['a definition of draft 7', a({ $ref: '#/definitions/a' }, { definitions: { a: { type: 'string' } } })],
  ['a definition with a slash in its name', a({ $ref: '#/$defs/a~1b' }, { $defs: { 'a/b': {} } })],
  ['a definition that allows anything', a({ $ref: '#/$defs/a' }, { $defs: { a: true } })],
  ['another property', { properties: { a: { $ref: '#/properties/b/items' }, b: { items: true } } }],
  ['a schema under a keyword of its own', a({ $ref: '#/components/b' }, { components: { b: {} } })],
])('a schema that refers to %s stays as it is', (_what, schema) => {
  expect(read(schema)).toEqual([schema])
})

test.each([
  ['an anchor', '#here', { $anchor: 'here' }],
  ['an id', 'https://example.com/b', { $id: 'https://example.com/b' }],
  ['an id of draft 4', 'urn:jsonschema:B', { id: 'urn:jsonschema:B' }],
  ['an id with an empty end', 'urn:c', { $id: 'urn:c#' }],
  ['the top of what has an id', 'urn:c#', { $id: 'urn:c' }],
])('what refers to %s refers to its place', (_what, $ref, names) => {
  const given = a({ $ref }, { $id: 'https://example.com/all', $defs: { b: { ...names, type: 'string' } } })
  expect(read(given)).toEqual([a({ $ref: '#/$defs/b' }, { $defs: { b: { type: 'string' } } })])
})

test('a reference begins at the id around it', () => {
  const given = a({
    $id: 'b',
    $defs: { c: {} },
    items: { $ref: '#/$defs/c' },
    not: { $ref: '#/properties/a' },
  })
  expect(read(given)).toEqual([a({ $defs: { c: {} }, items: { $ref: '#/properties/a/$defs/c' } }), '$ref'])
})

test('puts words of older drafts in those of 2020-12', () => {
  const pair = [
    { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    {},
  ]
  const given = {
    $schema: 'http://json-schema.org/draft-04/schema#',
    id: 'https://example.com/draft-4',
    properties: { a: { type: 'array', items: pair }, b: { $ref: '#/properties/a/items/0' } },
  }
  const first = { type: 'number', minimum: 0, exclusiveMinimum: 0, maximum: 9 }
  const now = { type: 'array', prefixItems: [first, {}], items: {} }
  expect(read(given)).toEqual([{ properties: { a: now, b: { $ref: '#/properties/a/prefixItems/0' } } }])
  expect(read(a({ items: [true], additionalItems: false }))).toEqual([
    a({ prefixItems: [true], items: false }),
  ])
})

test.each([
  ['null for a list', a({}, { required: null }), a({}), 'required'],
  ['a word of draft 3', a({ type: 'any', required: true }), a({}), 'type', 'required'],
  ['an unknown type', a({ type: 'strng' }), a({}), 'type'],
  ['an unknown type beside another', a({ type: ['strng', 'null'] }), a({}), 'type'],
  ['a type twice', a({ type: ['null', 'null'] }), a({ type: ['null'] }), 'type'],
  ['names that are none', a({}, { required: ['a', null, 'a'] }), a({}, { required: ['a'] }), 'required'],
  ['an empty choice', a({ enum: [], anyOf: [] }), a({}), 'enum', 'anyOf'],
  [
    'a value twice',
    a({
      enum: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    }),
    a({ enum: [{ a: 1, b: 2 }] }),
    'enum',
  ],
  ['a pattern with a flag', a({ pattern: '(?i)a', minLength: 1 }), a({ minLength: 1 }), 'pattern'],
  ['a pattern of Python', a({ pattern: '(?P<a>b)', minLength: -1 }), a({}), 'pattern', 'minLength'],
  [
    'a member that is null',
    a(null, { additionalProperties: false }),
    a({}, { additionalProperties: false }),
    'properties',
  ],
  [
    'members that are null',
    { properties: null, additionalProperties: false },
    { properties: {}, additionalProperties: false },
    'properties',
  ],
  [
    'a list of members',
    { properties: [{ name: 'a' }], additionalProperties: false },
    { properties: {} },
    'properties',
  ],
  ['items that are a word', a({ type: 'array', items: 'string' }), a({ type: 'array', items: {} }), 'items'],
  [
    'a choice that is null',
    a({ anyOf: [{ type: 'null' }, null] }),
    a({ anyOf: [{ type: 'null' }, {}] }),
    'anyOf',
  ],
  [
    'a name that is no pattern',
    a({ patternProperties: { '(': {}, b: {} }, additionalProperties: false }),
    a({ patternProperties: { b: {} } }),
    'patternProperties',
  ],
  ['a reference to nowhere', a({ $ref: '#/$defs/b', title: 'A' }), a({ title: 'A' }), '$ref'],
  [
    'a reference that only leads back to itself',
    { properties: { a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' } } },
    { properties: { a: { $ref: '#/properties/b' }, b: {} } },
    '$ref',
  ],
  ['a reference to what is no schema', a({ $ref: '#/type' }), a({}), '$ref'],
  ['a reference to a built-in', a({ $ref: '#/constructor' }), a({}), '$ref'],
  ['a reference that is not well encoded', a({ $ref: '#/%zz' }), a({}), '$ref'],
  ['a reference to another document', a({ $ref: 'https://example.com/b' }), a({}), '$ref'],
  ['a reference to what is left out', a({ $ref: '#/anyOf/0' }, { anyOf: [{}] }), a({}), '$ref'],
  ['nullable without a type', a({ nullable: true }), a({}), 'nullable'],
  ['a slip in what must not hold', a({ not: { type: 'strng' }, minimum: 1 }), a({ minimum: 1 }), 'type'],
  [
    'a slip under a keyword of its own',
    a({ $ref: '#/x/b' }, { x: { b: { type: 'strng' } } }),
    a({ $ref: '#/x/b' }, { x: { b: {} } }),
    'type',
  ],
])('leaves out %s', (_what, given, kept, ...keywords) => {
  expect(read(given)).toEqual([kept, ...keywords])
})

test.each([
  ['null', null, 'inputSchema'],
  ['absent', undefined, 'inputSchema'],
  ['a list', [], 'inputSchema'],
  ['without a type', {}],
  ['of another type', { type: ['object', 'null'] }, 'type'],
])('a schema that is %s is one of an object', (_what, given, ...leftOut) => {
  expect(readSchema(given)).toEqual({ schema: { type: 'object', properties: {} }, leftOut })
})

test('what is data is no schema', () => {
  const data = a({ default: { $ref: '#/nowhere', type: 7 }, enum: [{ $ref: 7 }], 'x-own': { type: 'strng' } })
  expect(read(data)).toEqual([data])
  const named = { properties: { $ref: { type: 'string' }, pattern: { const: '(' }, type: {} } }
  expect(read(named)).toEqual([named])
  const builtIn = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')
  expect(JSON.stringify(read(builtIn))).toBe(JSON.stringify([builtIn]))
})

test.each([300, 3_000, 100_000])('leaves out what is deeper than 200 of %d levels', levels => {
  // The top and its members take two.
  expect(read(a(nested(levels)))).toEqual([a(nested(198, {})), 'items'])
})

/** So many members that are all the same. */
function alike(count: number, member: object) {
  return { properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`title${n}`, member])) }
}

test('cuts the texts of a schema of more than 20,000 characters, or leaves them out', () => {
  const long = { default: { title: 'A' }, title: 'B', description: 'x'.repeat(2_000) }
  expect(read(alike(9, long))).toEqual([alike(9, long)])
  const cut = { ...long, description: `${'x'.repeat(199)}…` }
  expect(read(alike(10, long))).toEqual([alike(10, cut), 'description'])
  expect(read(alike(99, long))).toEqual([alike(99, { default: { title: 'A' } }), 'description', 'title'])
  expect(readSchema(alike(2_000, {}))).toBeUndefined()
})

test.each([
  ['choices', a({ anyOf: Array.from({ length: 1_300 }, (_, n) => ({ const: n })) })],
  ['values', a({ enum: Array.from({ length: 1_700 }, (_, n) => ({ n })) })],
  [
    'references',
    { properties: Object.fromEntries(Array.from({ length: 850 }, (_, n) => [`a${n}`, { $ref: '#' }])) },
  ],
])('a schema of 19 kB of %s takes milliseconds', async (_what, schema) => {
  expect(await cpuMsOf(() => expect(read(schema)).toEqual([schema]))).toBeLessThan(100)
})
