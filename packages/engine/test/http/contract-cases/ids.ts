import { accepted, type ContractCase, invalid } from './contract-case.ts'

const EXPECTED = 'a UUID or "test-<digits>"'
const UUID = '6f9619ff-8b86-4011-b42d-00c04fc964ff'

const valid: [name: string, id: string][] = [
  ['UUID version 4', UUID],
  ['nil UUID', '00000000-0000-0000-0000-000000000000'],
  ['UUID in upper case', UUID.toUpperCase()],
  ['test-<digit>', 'test-1'],
  ['test- with leading zeros', 'test-007'],
  ['test- with more digits than a number holds', 'test-99999999999999999999'],
]

const wrong: [name: string, id: string, shown: string][] = [
  ['test- without digits', 'test-', '"test-"'],
  ['test- with a letter', 'test-1a', '"test-1a"'],
  ['TEST- in capitals', 'TEST-1', '"TEST-1"'],
  ['test- with a line break at its end', 'test-1\n', '"test-1\\n"'],
  ['test- after a space', ' test-1', '" test-1"'],
  ['test- with Arabic digits', 'test-١٢', '"test-١٢"'],
  ['UUID in braces', `{${UUID}}`, `"{${UUID}}"`],
  ['UUID as URN', `urn:uuid:${UUID}`, `"urn:uuid:${UUID.slice(0, 31)}…"`],
  ['UUID a digit long', `${UUID}0`, `"${UUID}0"`],
  ['UUID with a letter that is no hex digit', `g${UUID.slice(1)}`, `"g${UUID.slice(1)}"`],
  ['two UUIDs', `${UUID}\n${UUID}`, `"${UUID}\\n${UUID.slice(0, 3)}…"`],
  ['__proto__', '__proto__', '"__proto__"'],
  ['NUL', 'test-1\0', '"test-1\\u0000"'],
  ['lone surrogate', '\ud800', '"\\ud800"'],
  ['huge', 'x'.repeat(100_000), `"${'x'.repeat(40)}…"`],
]

const wrongType: [name: string, id: unknown, shown: string][] = [
  ['missing', undefined, 'nothing'],
  ['null', null, 'null'],
  ['array', ['test-1'], 'an array'],
]

export const ids: readonly ContractCase[] = [
  ...valid.map(([name, id]) => accepted(`task_id: ${name}`, id, { body: { task_id: id, input: 'hello' } })),
  ...wrong.map(([name, id, shown]) =>
    invalid(
      `task_id: ${name}`,
      id,
      { task_id: id, input: 'hello' },
      `task_id: expected ${EXPECTED}, got the string ${shown}`,
    ),
  ),
  invalid(
    'task_id: empty',
    '',
    { task_id: '', input: 'hello' },
    `task_id: expected ${EXPECTED}, got an empty string`,
  ),
  ...wrongType.map(([name, id, shown]) =>
    invalid(
      `task_id: ${name}`,
      '',
      { task_id: id, input: 'hello' },
      `task_id: expected a string (${EXPECTED}), got ${shown}`,
    ),
  ),
]
