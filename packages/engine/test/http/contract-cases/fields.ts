import { accepted, type ContractCase, invalid } from './contract-case.ts'

const run = (members: object) => ({ task_id: 'test-1', ...members })

const texts: [name: string, input: string][] = [
  ['emoji and combining marks', '👩‍👩‍👧 e\u0301 ﷽'],
  ['NUL and control characters', 'a\0b\u001bc\u007f'],
  ['line breaks of every kind', 'a\r\nb\u2028c\u2029d'],
  ['what looks like a token of the tokenizer', '<|endoftext|>'],
  ['200,000 characters', 'word '.repeat(40_000)],
]

const wrongInputs: [name: string, input: unknown, got: string][] = [
  ['missing', undefined, 'a string, got nothing'],
  ['null', null, 'a string, got null'],
  ['empty', '', 'a string that is not blank, got an empty string'],
  ['blank', ' \t\n', 'a string that is not blank, got the string " \\t\\n"'],
  ['blank, no-break spaces', '\u00a0\u3000', 'a string that is not blank, got the string "\u00a0\u3000"'],
]

export const fields: readonly ContractCase[] = [
  ...texts.map(([name, input]) => accepted(`input: ${name}`, 'test-1', { body: run({ input }) }, { input })),
  accepted(
    'input: a lone surrogate',
    'test-1',
    { body: '{"task_id":"test-1","input":"a\\ud800b"}' },
    // Providers refuse it, so the model reads the replacement character.
    { input: 'a\ufffdb' },
  ),
  ...wrongInputs.map(([name, input, got]) =>
    invalid(`input: ${name}`, 'test-1', run({ input }), `input: expected ${got}`),
  ),
  accepted('unknown members are ignored', 'test-1', {
    body: run({ input: 'hello', priority: 'high', output: 1, metrics: {}, trace: { id: [null] } }),
  }),
  accepted('prototype names as members are ignored', 'test-1', {
    body: '{"__proto__":{"task_id":"x","config":5},"constructor":null,"hasOwnProperty":1,"toString":2,"task_id":"test-1","input":"hello"}',
  }),
  invalid(
    'members inside __proto__ do not count',
    '',
    '{"__proto__":{"task_id":"test-1","input":"hello"}}',
    'task_id: expected a string (a UUID or "test-<digits>"), got nothing',
    'input: expected a string, got nothing',
  ),
  accepted('of duplicated members the last counts', 'test-2', {
    body: '{"task_id":"test-1","input":"first","task_id":"test-2","input":"hello"}',
  }),
  invalid(
    'member names are case-sensitive',
    '',
    { Task_ID: 'test-1', Input: 'hello' },
    'task_id: expected a string (a UUID or "test-<digits>"), got nothing',
    'input: expected a string, got nothing',
  ),
  invalid(
    'everything wrong at once is named at once',
    '',
    { task_id: 5, input: null, config: { system_prompt: 1, max_tokens: '5', enabled_tools: 'time' } },
    'task_id: expected a string (a UUID or "test-<digits>"), got the number 5',
    'input: expected a string, got null',
    'config.system_prompt: expected a string, got the number 1',
    'config.max_tokens: expected an integer, 1 or more, got the string "5"',
    'config.enabled_tools: expected an array of tool names, got the string "time"',
  ),
  accepted('an unknown member nested 50,000 deep', 'test-1', {
    body: `{"task_id":"test-1","input":"hello","extra":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  }),
]
