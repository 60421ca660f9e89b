import { holds, splits } from '@agent-task-service/test-support/holds'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageScan } from '../message-scan.ts'
import { usableSchema } from '../tool-schema.ts'

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

const isUsable = (schema: Record<string, unknown>) =>
  usableSchema({ type: 'object', ...schema }) !== undefined

/** Whether Ajv compiles it, and so has looked at all of it. */
function isCompiled(schema: Record<string, unknown>): boolean {
  const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, logger: false })
  try {
    return Boolean(ajv.compile({ type: 'object', ...schema }))
  } catch {
    return false
  }
}

const NAMES = ['a', 'b', 'a/b', 'a~b']
const reference = fc.constantFrom(
  ...[
    '#',
    '#/',
    '#/$defs/a',
    '#/$defs/b',
    '#/$defs/a~1b',
    '#/$defs/a~0b',
    '#/$defs/a~b',
    '#/properties/a/items',
  ],
  ...['#a', '#b', 'a', 'b', 'a#/$defs/b', 'c', 'https://example.com/a', '#/type', '#/$defs', '#/constructor'],
)
const { any } = fc.letrec<{ any: Record<string, unknown> | boolean; object: Record<string, unknown> }>(
  tie => ({
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), tie('object')),
    object: fc.record(
      {
        type: fc.constantFrom('string', ['string', 'null'], 'strng', ['null', 'null'], [], 7),
        enum: fc.array(fc.oneof(fc.nat(2), fc.constantFrom('a', { a: 1 })), { maxLength: 3 }),
        required: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
        pattern: fc.constantFrom('a', '(', '[', '\\w-.', '(?<a>b)'),
        minLength: fc.integer({ min: -1, max: 1 }),
        $ref: reference,
        items: fc.oneof(tie('any'), fc.array(tie('any'), { maxLength: 2 })),
        anyOf: fc.array(tie('any'), { maxLength: 2 }),
        not: tie('any'),
        properties: fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 2 }),
        patternProperties: fc.dictionary(fc.constantFrom('a', '('), tie('any'), { maxKeys: 1 }),
      },
      { requiredKeys: [] },
    ),
  }),
)

test('accepts no schema of an MCP tool that a compiler refuses', () => {
  const schema = fc.record(
    {
      properties: fc.dictionary(fc.constantFrom(...NAMES), any),
      $defs: fc.dictionary(fc.constantFrom(...NAMES), any),
    },
    { requiredKeys: ['properties'] },
  )
  return holds(
    300,
    fc.property(schema, one => {
      if (isUsable(one)) expect(isCompiled(one)).toBe(true)
    }),
  )
})
