import { expect, test } from 'vitest'
import { expectSimpleSettings } from '../../http/body.ts'

const body = (own: string) =>
  `{"task_id": "test-1", "input": "Hello", "config": {"own": ${own}, "other": {}}}`

test.each([
  ['3,000 levels', '['.repeat(3_000) + ']'.repeat(3_000)],
  ['10,000 levels of objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['200,000 values', `[${'1,'.repeat(199_999)}1]`],
])('a setting of %s is refused with its name', (_, own) => {
  const expected = {
    code: 'too_complex',
    status: 400,
    message: expect.stringContaining('config.own: expected'),
  }
  expect(() => expectSimpleSettings(body(own), ['other', 'own'])).toThrow(expect.objectContaining(expected))
  // Undeclared members are ignored.
  expectSimpleSettings(body(own), ['other'])
})

test('99 levels and 49,000 values are taken', () => {
  expectSimpleSettings(body(`[${'1,'.repeat(49_000)}${'['.repeat(99)}${']'.repeat(99)}]`), ['own'])
})
