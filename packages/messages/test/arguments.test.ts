import {
  type ArgumentsSchema,
  argumentsFrom,
  normalizeArguments,
} from '@agent-task-service/messages/arguments'
import { OfferedTools } from '@agent-task-service/messages/offered-tools'
import { tool } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'

const oneText: ArgumentsSchema = {
  type: 'object',
  properties: { expression: { type: 'string' } },
  required: ['expression'],
}
const right = { expression: '6*7' }

test.each([
  '{"expression":"6*7"}',
  '  {"expression": "6*7"}\n',
  '{}{"expression":"6*7"}',
  '{"expression":"6*7"}{"expression":"6*7"}',
  '{"expression":"6*7"}{}',
  '{"expression":"6*7"}<|im_end|>',
  '{"expression":"6*7"}\n```',
  '```json\n{"expression":"6*7"}\n```',
  '"{\\"expression\\":\\"6*7\\"}"',
  '{"other":1}{"expression":"6*7"}',
  '{"expression":5}{"expression":"6*7"}',
  'Sure: {"expression":"6*7"}',
  "{'expression': '6*7'}",
  '6*7',
  '"6*7"',
])('%s is 6*7', written => {
  expect(argumentsFrom(written, { schema: oneText })).toEqual(right)
})

test.each([
  '{"expression":"6*7"',
  '{"expression":"6*7"}{"expression":"6*8"}',
  '[1, 2]',
  '{',
  '{"expression":',
])('%s is not guessed', written => {
  expect(argumentsFrom(written, { schema: oneText })).toBeUndefined()
})

test('of a tool that was not offered, only what is whole', () => {
  expect(argumentsFrom('{"a":1}', undefined)).toEqual({ a: 1 })
  expect(argumentsFrom('', undefined)).toEqual({})
  expect(argumentsFrom('6*7', undefined)).toBeUndefined()
})

test('integers keep all their digits', () => {
  const args = argumentsFrom(
    '{"id": 12345678901234567890, "n": 5, "x": 1.2345678901234567, "s": "1"}',
    undefined,
  )
  expect(JSON.stringify(args)).toBe('{"id":12345678901234567890,"n":5,"x":1.2345678901234567,"s":"1"}')
  const text = { properties: { id: { type: 'string' } } }
  expect(normalizeArguments(args, text)).toMatchObject({ id: '12345678901234567890' })
})

const members: ArgumentsSchema = {
  properties: {
    list: { type: 'array' },
    object: { type: 'object' },
    flag: { type: 'boolean' },
    count: { type: 'integer' },
    size: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    text: { type: 'string' },
    any: {},
  },
}

test.each([
  { given: { list: '["a","b"]' }, normal: { list: ['a', 'b'] } },
  { given: { list: 'a' }, normal: { list: ['a'] } },
  { given: { list: '"a"' }, normal: { list: ['"a"'] } },
  { given: { list: ['a'] }, normal: { list: ['a'] } },
  { given: { object: '{"x":1}' }, normal: { object: { x: 1 } } },
  { given: { object: 'x' }, normal: { object: 'x' } },
  { given: { flag: 'true' }, normal: { flag: true } },
  { given: { flag: 'False' }, normal: { flag: false } },
  { given: { count: '5' }, normal: { count: 5 } },
  { given: { count: ' 007 ' }, normal: { count: 7 } },
  { given: { count: null }, normal: {} },
  { given: { size: '1.5' }, normal: { size: 1.5 } },
  { given: { size: null }, normal: { size: null } },
  { given: { text: '["a"]' }, normal: { text: '["a"]' } },
  { given: { text: '5' }, normal: { text: '5' } },
  { given: { any: '["a"]', more: '5' }, normal: { any: '["a"]', more: '5' } },
])('$given', ({ given, normal }) => {
  expect(normalizeArguments(given, members)).toEqual(normal)
})

const named = (name: string) => tool(() => '', { name, description: '', schema: z.object({}) })
const offered = new OfferedTools(['calculator', 'web_search', 'x__get', 'get-user', 'get_user'].map(named))

test.each([
  ['calculator', 'calculator'],
  ['functions.calculator', 'calculator'],
  ['functions.calculator:0', 'calculator'],
  ['default_api.calculator', 'calculator'],
  ['tools/calculator', 'calculator'],
  ['calculator<|channel|>commentary', 'calculator'],
  ['calculator<|constrain|>json', 'calculator'],
  [' Calculator ', 'calculator'],
  ['calculator()', 'calculator'],
  ['web-search', 'web_search'],
  ['Web Search', 'web_search'],
  ['x.get', 'x__get'],
  ['get-user', 'get-user'],
  ['get_user', 'get_user'],
  ['getUser', undefined],
  ['get user', undefined],
  ['math.evaluate', undefined],
  ['calc', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('the name %s is the tool %s', (written, name) => {
  expect(offered.find(written)?.name).toBe(name)
})
