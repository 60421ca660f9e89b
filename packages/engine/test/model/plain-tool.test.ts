import { expect, test } from 'vitest'
import { plainTool } from '../../model/plain-tool.ts'

const toolWith = (parameters: object) => ({
  type: 'function',
  function: { name: 'pay', description: 'Pays.', parameters },
})
const plain = (parameters: object) => plainTool(toolWith(parameters))

test('a schema is made plain: references, choices, constants and rules become types and words', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: false,
    properties: {
      to: { $ref: '#/$defs/person', description: 'To whom' },
      amount: { type: ['number', 'null'], minimum: 0 },
      when: { anyOf: [{ type: 'null' }, { type: 'string', format: 'date' }] },
      kind: { const: 'gift' },
      notes: { type: 'array', items: { type: 'string', pattern: '^.*$' } },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
      level: { enum: [1, 2] },
    },
    required: ['to', 'gone'],
    $defs: {
      person: {
        allOf: [{ type: 'object', properties: { name: { type: 'string' } } }, { required: ['name'] }],
      },
    },
  }
  expect(plain(schema)).toEqual(
    toolWith({
      type: 'object',
      properties: {
        to: {
          type: 'object',
          description: 'To whom',
          properties: { name: { type: 'string' } },
          required: ['name'],
        },
        amount: { type: 'number' },
        when: { type: 'string' },
        kind: { enum: ['gift'] },
        notes: { type: 'array', items: { type: 'string' } },
        pair: { type: 'array', items: { type: 'string' } },
        level: {},
      },
      required: ['to'],
    }),
  )
})

test.each([
  [
    'refers to itself',
    { type: 'object', properties: { a: { $ref: '#' }, b: { $ref: '#' }, c: { $ref: '#' } } },
  ],
  ['refers to itself at once', { $ref: '#' }],
  [
    'doubles at each reference',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/0' } },
      $defs: Object.fromEntries(
        Array.from({ length: 30 }, (_, n) => {
          const next = { $ref: `#/$defs/${n + 1}` }
          return [n, { type: 'object', properties: { a: next, b: next } }]
        }),
      ),
    },
  ],
  ['has no properties', {}],
  ['refers to nothing', { type: 'object', properties: { a: { $ref: 'https://example.com/schema' } } }],
])('a schema that %s ends', (_what, schema) => {
  expect(JSON.stringify(plain(schema)).length).toBeLessThan(30_000)
})
