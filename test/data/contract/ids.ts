import { accepted, type ContractCase, invalid } from '../../support/contract-case.ts'

const EXPECTED = 'a UUID or "test-<digits>"'
const UUID = '6f9619ff-8b86-4011-b42d-00c04fc964ff'

const valid = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map(version => [
    `UUID version ${version}`,
    `6f9619ff-8b86-${version}011-b42d-00c04fc964ff`,
  ]),
  ['nil UUID', '00000000-0000-0000-0000-000000000000'],
  ['max UUID', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['UUID in upper case', UUID.toUpperCase()],
  ['UUID in mixed case', '6F9619ff-8B86-4011-b42D-00C04fc964fF'],
  ['test-<digit>', 'test-1'],
  ['test-0', 'test-0'],
  ['test- with leading zeros', 'test-007'],
  ['test- with more digits than a number holds', 'test-99999999999999999999'],
] as [string, string][]

const wrong: [name: string, id: string, shown: string][] = [
  ['test- without digits', 'test-', '"test-"'],
  ['test- with a letter', 'test-1a', '"test-1a"'],
  ['test-- with a sign', 'test--1', '"test--1"'],
  ['TEST- in capitals', 'TEST-1', '"TEST-1"'],
  ['test- with a fraction', 'test-1.5', '"test-1.5"'],
  ['test- with a space', 'test- 1', '"test- 1"'],
  ['test- with a line break at its end', 'test-1\n', '"test-1\\n"'],
  ['test- after a space', ' test-1', '" test-1"'],
  ['test- with Arabic digits', 'test-١٢', '"test-١٢"'],
  ['a word', 'task', '"task"'],
  ['blank', '   ', '"   "'],
  ['UUID in braces', `{${UUID}}`, `"{${UUID}}"`],
  ['UUID as URN', `urn:uuid:${UUID}`, `"urn:uuid:${UUID.slice(0, 31)}…"`],
  ['UUID without hyphens', UUID.replaceAll('-', ''), `"${UUID.replaceAll('-', '')}"`],
  ['UUID a digit short', UUID.slice(0, -1), `"${UUID.slice(0, -1)}"`],
  ['UUID a digit long', `${UUID}0`, `"${UUID}0"`],
  ['UUID with a letter that is no hex digit', `g${UUID.slice(1)}`, `"g${UUID.slice(1)}"`],
  ['two UUIDs', `${UUID}\n${UUID}`, `"${UUID}\\n${UUID.slice(0, 3)}…"`],
  ['__proto__', '__proto__', '"__proto__"'],
  ['constructor', 'constructor', '"constructor"'],
  ['emoji', '🤖', '"🤖"'],
  ['right-to-left', 'مهمة-1', '"مهمة-1"'],
  ['combining marks', 'e\u0301-1', '"e\u0301-1"'],
  ['NUL', 'test-1\0', '"test-1\\u0000"'],
  ['lone surrogate', '\ud800', '"\\ud800"'],
  ['huge', 'x'.repeat(100_000), `"${'x'.repeat(40)}…"`],
]

const wrongType: [name: string, id: unknown, shown: string][] = [
  ['null', null, 'null'],
  ['number', 12, 'the number 12'],
  ['boolean', true, 'the boolean true'],
  ['array', ['test-1'], 'an array'],
  ['object', { id: 'test-1' }, 'an object'],
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
  invalid(
    'task_id: missing',
    '',
    { input: 'hello' },
    `task_id: expected a string (${EXPECTED}), got nothing`,
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
