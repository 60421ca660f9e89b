import { holds, splits } from '@agent-task-service/test-support/holds'
import { isObject } from '@agent-task-service/wire/untrusted'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageScan } from '../message-scan.ts'
import { readSchema } from '../tool-schema.ts'

function marksIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inside = Object.values(value)
  const own = 1 + Math.max(0, inside.length - 1) + (Array.isArray(value) ? 0 : 5 * inside.length)
  return own + inside.reduce<number>((sum, one) => sum + marksIn(one), 0)
}

test('weighs the brackets, commas and colons of any JSON from an MCP server, wherever it is cut', () => {
  const pieces = fc.json().chain(json => splits(fc.constant(Buffer.from(json) as Uint8Array)))
  return holds(
    300,
    fc.property(pieces, parts => {
      const scan = new MessageScan()
      const marks = parts.reduce((sum, part) => sum + scan.read(part), 0)
      expect(marks).toBe(marksIn(JSON.parse(Buffer.concat(parts).toString())))
    }),
  )
})

const AJV = { strict: false, validateFormats: false, unicodeRegExp: false, logger: false } as const
/** Draft 7 and 2020-12. */
const DRAFTS = [new Ajv(AJV), new Ajv2020(AJV)]

/** What the model gets of a schema. */
const read = (given: unknown) => readSchema(JSON.parse(JSON.stringify(given)))!

/** The same, where it compiles by either draft, so that Ajv has looked at all of it. */
function readSoundly(given: unknown) {
  const result = read(given)
  for (const ajv of DRAFTS) {
    // Ajv changes lists of types, and keeps what it has compiled.
    const schema = structuredClone(result.schema)
    expect(() => ajv.compile(schema)).not.toThrow()
    ajv.removeSchema(schema)
  }
  return result
}

const NAMES = ['a', 'b', 'a/b', 'a~b', 'a b', 'ä%']
const named = <Value>(of: fc.Arbitrary<Value>) =>
  fc.dictionary(fc.constantFrom(...NAMES), of, { maxKeys: 2, noNullPrototype: true })
const VALUES = [
  ...[null, true, [], {}, ['a', null], ['a', 'a'], { a: null }, -1, 1.5],
  ...['strng', '(', '(?i)a', '(?P<a>b)', '#a', '#/nowhere', 'https://example.com/a'],
]
const value = fc.constantFrom<unknown>(...VALUES)

test('makes of any schema of an MCP tool one that a compiler takes', () => {
  const reference = fc.constantFrom(
    ...['#', '#/', '#/$defs/a', '#/$defs/b', '#/$defs/a~1b', '#/$defs/a~0b', '#/$defs/a~b', '#/$defs/a b'],
    ...['#/$defs/%C3%A4%25', '#/properties/a/items', '#/properties/a/items/0', '#/x/a', '#/x/a/items'],
    ...['#/x', '#a', '#b', 'a', 'b', 'a#/$defs/b', 'c', 'https://example.com/a', '#/type', '#/$defs'],
    '#/constructor',
  )
  // What is no schema of ours may have no names.
  const x = named(fc.record({ type: value, items: value, $ref: reference }, { requiredKeys: [] }))
  const { any } = fc.letrec(tie => ({
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, value, tie('object')),
    object: fc.record(
      {
        type: fc.constantFrom('string', ['string', 'null'], 'strng', ['null', 'null'], [], 7),
        enum: fc.array(fc.constantFrom<unknown>(0, 'a', { a: 1, b: 2 }, { b: 2, a: 1 }), { maxLength: 3 }),
        required: value,
        pattern: value,
        minLength: value,
        nullable: value,
        $id: fc.constantFrom('a', 'https://example.com/a', '#a', '#/', '%', 7),
        id: fc.constantFrom('a', '#b'),
        $anchor: fc.constantFrom('a', 'b', '/'),
        $dynamicAnchor: fc.constantFrom('a', 'b'),
        $ref: reference,
        $dynamicRef: reference,
        items: fc.oneof(tie('any'), fc.array(tie('any'), { maxLength: 2 })),
        additionalItems: tie('any'),
        anyOf: fc.array(tie('any'), { maxLength: 2 }),
        not: tie('any'),
        properties: named(tie('any')),
        patternProperties: fc.dictionary(fc.constantFrom('a', '('), tie('any'), { maxKeys: 1 }),
      },
      { requiredKeys: [] },
    ),
  }))
  const top = fc.record(
    { properties: named(any), $defs: named(any), x, $id: fc.constantFrom('b', 'urn:c', 7) },
    { requiredKeys: ['properties'] },
  )
  return holds(
    100,
    fc.property(top, given => {
      readSoundly(given)
    }),
    [[{ properties: { a: { items: { $ref: '#/$defs/a' } } }, $defs: { a: { $ref: '#/$defs/a' } } }]],
  )
})

type Schema = Record<string, unknown>

const WITH_SCHEMA = [
  ...['additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not'],
  ...['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
]
const WITH_SCHEMAS = ['allOf', 'anyOf', 'oneOf']
const WITH_NAMED_SCHEMAS = ['$defs', 'definitions', 'dependentSchemas', 'properties']
const COUNTS = [
  ...['maxContains', 'maxItems', 'maxLength', 'maxProperties', 'maximum', 'minContains', 'minItems'],
  ...['minLength', 'minProperties', 'exclusiveMaximum', 'multipleOf'],
]

const types = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string')
const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 })
const values = fc.uniqueArray(fc.constantFrom<unknown>(...VALUES, { $ref: 7 }), {
  minLength: 1,
  maxLength: 3,
})
const plain = {
  type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
  enum: values,
  const: value,
  default: fc.oneof(value, fc.constant({ $ref: '#/nowhere', properties: 7 })),
  examples: values,
  required: names,
  dependentRequired: named(names),
  dependencies: named(names),
  pattern: fc.constantFrom('a', '^\\d+$', '(?<a>b)', '[\\w-.]+'),
  format: fc.constantFrom('uri', 'own'),
  description: fc.string(),
  contentEncoding: fc.constant('base64'),
  uniqueItems: fc.boolean(),
  readOnly: fc.boolean(),
  $ref: fc.constantFrom('#', '#/$defs/a', '#/$defs/a~1b'),
  'x-own': value,
}

/** Sound schemas in words that draft 7 and 2020-12 share. */
const { sound } = fc.letrec<{ sound: Schema; part: Schema | boolean }>(tie => {
  const own = (keywords: readonly string[], of: fc.Arbitrary<unknown>) =>
    fc.tuple(fc.constantFrom(...keywords), of).map(([keyword, one]) => ({ [keyword]: one }))
  const list = fc.array(tie('part'), { minLength: 1, maxLength: 2 })
  const keyword = fc.oneof(
    fc.constantFrom(...Object.entries(plain)).chain(([name, of]) => own([name], of)),
    own(COUNTS, fc.integer({ min: 1, max: 9 })),
    own(WITH_SCHEMA, tie('part')),
    own(WITH_SCHEMAS, list),
    own(WITH_NAMED_SCHEMAS, named(tie('part'))),
    own(['patternProperties'], fc.dictionary(fc.constantFrom('^a', '\\d'), tie('part'), { maxKeys: 2 })),
    fc.record({ prefixItems: list, items: tie('part') }),
    fc.nat(9).map(minimum => ({ minimum, exclusiveMinimum: minimum })),
    types.map(type => ({ type, nullable: true })),
  )
  return {
    part: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), tie('sound')),
    sound: fc.array(keyword, { maxLength: 4 }).map(keywords => Object.assign({}, ...keywords)),
  }
})
const LEFT_OUT_AT_TOP = ['anyOf', 'oneOf', 'allOf', 'not', 'enum']
const tool = fc
  .record({ top: sound, own: named(sound), a: sound, b: sound })
  .map(({ top, own, a, b }): Schema => {
    const kept = Object.entries(top).filter(([keyword]) => !LEFT_OUT_AT_TOP.includes(keyword))
    // None that only leads back to itself.
    const [first, second, rest] = [a, b, Object.fromEntries(kept)].map(({ $ref: _, ...one }) => one)
    return { properties: own, ...rest, $defs: { a: first, 'a/b': second }, type: 'object' }
  })
  .filter(schema => JSON.stringify(schema).length < 15_000)

/** The schema with each within it changed, the inner ones first. */
function changed(schema: unknown, change: (schema: Schema) => Schema): unknown {
  if (!isObject(schema)) return schema
  const inner = (one: unknown) => changed(one, change)
  const within = ([keyword, one]: [string, unknown]) => {
    if (WITH_SCHEMA.includes(keyword)) return [keyword, inner(one)]
    if (Array.isArray(one) && [...WITH_SCHEMAS, 'prefixItems'].includes(keyword))
      return [keyword, one.map(inner)]
    const hasNamed = [...WITH_NAMED_SCHEMAS, 'patternProperties'].includes(keyword) && isObject(one)
    return [keyword, hasNamed ? Object.fromEntries(Object.entries(one).map(([n, s]) => [n, inner(s)])) : one]
  }
  return change(Object.fromEntries(Object.entries(schema).map(within)))
}

/** The same in words of drafts 4 and 7, and with references by name. */
function inOldWords(schema: Schema): unknown {
  const old = changed(schema, ({ prefixItems, $ref, ...part }) => {
    const { items, exclusiveMinimum, ...rest } = part
    return {
      ...(prefixItems ? { ...rest, items: prefixItems, additionalItems: items } : part),
      ...(exclusiveMinimum !== undefined && { exclusiveMinimum: true }),
      ...($ref === '#/$defs/a' ? { $ref: 'urn:a' } : $ref !== undefined && { $ref }),
      id: 'anything',
    }
  }) as { $defs: { a: Schema } }
  return { ...old, id: 'urn:all', $defs: { ...old.$defs, a: { ...old.$defs.a, id: 'urn:a' } } }
}

test('leaves any sound schema of an MCP tool as it is, in words of today', () =>
  holds(
    100,
    fc.property(tool, given => {
      expect(readSoundly(given)).toEqual({ schema: given, leftOut: [] })
      expect(read(inOldWords(given))).toEqual({ schema: given, leftOut: [] })
    }),
  ))

/** Keywords that mean something else, or nothing, without another. */
const FOLLOWERS: Readonly<Record<string, readonly string[]>> = {
  items: ['prefixItems'],
  prefixItems: ['items'],
  minimum: ['exclusiveMinimum'],
  properties: ['additionalProperties', 'unevaluatedProperties'],
  patternProperties: ['additionalProperties', 'unevaluatedProperties'],
  type: ['nullable'],
}
const known = [...Object.keys(plain), ...COUNTS, 'minimum', ...WITH_SCHEMA, ...WITH_SCHEMAS, 'prefixItems']
/** Values that are none of a keyword in one of the drafts. */
const SLIPS: readonly (readonly [keyword: string, slip: unknown])[] = [
  ...[...known, ...WITH_NAMED_SCHEMAS, 'patternProperties', 'additionalItems']
    .flatMap(keyword => VALUES.map(one => [keyword, one] as const))
    .filter(([keyword, one]) => !DRAFTS.every(ajv => ajv.validateSchema({ [keyword]: one })))
    // Draft 4 has it.
    .filter(([keyword, one]) => !(keyword === 'exclusiveMaximum' && one === true)),
  ...['(', '(?i)a', '(?P<a>b)'].map(one => ['pattern', one] as const),
  ...['#/nowhere', '#a', 'https://example.com/a', null, {}].map(one => ['$ref', one] as const),
  ['patternProperties', { '(?i)^x-': true, y: {} }],
  ['dependencies', { a: null, b: 'a' }],
  ['nullable', 'true'],
]

test('a slip in a schema of an MCP tool changes nothing but its keyword', () =>
  holds(
    200,
    fc.property(tool, fc.nat(), fc.constantFrom(...SLIPS), (schema, nth, [keyword, slip]) => {
      const lost = [keyword, ...(FOLLOWERS[keyword] ?? [])]
      const without = (part: Schema) =>
        Object.fromEntries(Object.entries(part).filter(([name]) => !lost.includes(name)))
      // They go with a slip anywhere in them.
      const open = changed(schema, ({ not: _, if: _1, ...part }) => part)
      let places = 0
      changed(open, part => ({ ...part, nth: places++ }))
      const given = (more: Schema) => {
        let at = 0
        return changed(open, part => (at++ === nth % places ? { ...without(part), ...more, here: 1 } : part))
      }
      const { schema: got, leftOut } = readSoundly(given({ [keyword]: slip }))
      const { schema: fine } = read(given({}))
      const rest = (one: unknown) => changed(one, part => (part.here ? without(part) : part))
      expect(rest(got)).toEqual(rest(fine))
      const isAtTop = nth % places === places - 1
      expect(leftOut.length > 0).toBe(!(isAtTop && LEFT_OUT_AT_TOP.includes(keyword)))
    }),
  ))
