import { accepted, type ContractCase, invalid, type Seen } from './contract-case.ts'
import { OWN_TOOLS } from '@agent-task-service/test-support/own-tools'

const run = (config: unknown) => ({ task_id: 'test-1', input: 'hello', config })
const withConfig = (json: string) => `{"task_id":"test-1","input":"hello","config":${json}}`
const TOOL = `expected one of ${OWN_TOOLS.join(', ')}`
const CAP = 'config.max_tokens: expected an integer, 1 or more'

const valid: [name: string, config: unknown, seen: Partial<Seen>][] = [
  ['empty', {}, {}],
  ['null, for none', null, {}],
  ['null for each member, for none', { system_prompt: null, max_tokens: null, enabled_tools: null }, {}],
  ['unknown members', { temperature: 2, model: null, nested: { enabled_tools: 1 } }, {}],
  ['system_prompt', { system_prompt: 'Be brief.' }, { systemPrompt: 'Be brief.' }],
  ['system_prompt: empty, for none', { system_prompt: '' }, { systemPrompt: '' }],
  ['max_tokens: the least', { max_tokens: 1 }, { maxTokens: 1 }],
  [
    'max_tokens: the largest safe integer',
    { max_tokens: Number.MAX_SAFE_INTEGER },
    { maxTokens: Number.MAX_SAFE_INTEGER },
  ],
  ['enabled_tools: one', { enabled_tools: ['time'] }, { tools: ['time'] }],
  ['enabled_tools: all, in another order', { enabled_tools: OWN_TOOLS.toReversed() }, {}],
  ['enabled_tools: none', { enabled_tools: [] }, { tools: [] }],
  [
    'enabled_tools: one 10,000 times',
    { enabled_tools: new Array(10_000).fill('calculator') },
    { tools: ['calculator'] },
  ],
]

const wrong: [name: string, config: unknown, problem: string][] = [
  ['string', 'fast', 'config: expected an object, got the string "fast"'],
  ['array', [], 'config: expected an object, got an array'],
  [
    'system_prompt: number',
    { system_prompt: 5 },
    'config.system_prompt: expected a string, got the number 5',
  ],
  ['max_tokens: zero', { max_tokens: 0 }, `${CAP}, got the number 0`],
  ['max_tokens: fraction', { max_tokens: 1.5 }, `${CAP}, got the number 1.5`],
  ['max_tokens: string', { max_tokens: '100' }, `${CAP}, got the string "100"`],
  ['max_tokens: huge', { max_tokens: 1e300 }, `${CAP}, got the number 1e+300`],
  ['max_tokens: past the safe integers', { max_tokens: 2 ** 53 }, `${CAP}, got the number 9007199254740992`],
  [
    'enabled_tools: string',
    { enabled_tools: 'calculator' },
    'config.enabled_tools: expected an array of tool names, got the string "calculator"',
  ],
  [
    'enabled_tools: unknown',
    { enabled_tools: ['shell'] },
    `config.enabled_tools.0: ${TOOL}, got the string "shell"`,
  ],
  [
    'enabled_tools: unknown after a known one',
    { enabled_tools: ['time', 'Time'] },
    `config.enabled_tools.1: ${TOOL}, got the string "Time"`,
  ],
  ['enabled_tools: null inside', { enabled_tools: [null] }, `config.enabled_tools.0: ${TOOL}, got null`],
  [
    'enabled_tools: __proto__',
    { enabled_tools: ['__proto__'] },
    `config.enabled_tools.0: ${TOOL}, got the string "__proto__"`,
  ],
  [
    'enabled_tools: a line break and a long name',
    { enabled_tools: [`a\n${'b'.repeat(60)}`] },
    `config.enabled_tools.0: ${TOOL}, got the string "a\\n${'b'.repeat(38)}…"`,
  ],
]

export const config: readonly ContractCase[] = [
  ...valid.map(([name, value, seen]) => accepted(`config: ${name}`, 'test-1', { body: run(value) }, seen)),
  accepted('config: prototype names are ignored', 'test-1', {
    body: withConfig('{"__proto__":{"max_tokens":1,"enabled_tools":[]},"constructor":{"prototype":{}}}'),
  }),
  accepted(
    'config: an integer written as a decimal',
    'test-1',
    { body: withConfig('{"max_tokens":1e2}') },
    {
      maxTokens: 100,
    },
  ),
  ...wrong.map(([name, value, problem]) => invalid(`config: ${name}`, 'test-1', run(value), problem)),
  invalid(
    'config: max_tokens: past every number',
    'test-1',
    withConfig('{"max_tokens":1e999}'),
    `${CAP}, got the number Infinity`,
  ),
  invalid(
    'config: enabled_tools: 10,000 unknown names, the first ten are shown',
    'test-1',
    run({ enabled_tools: Array.from({ length: 10_000 }, (_, index) => `tool_${index}`) }),
    ...Array.from(
      { length: 10 },
      (_, index) => `config.enabled_tools.${index}: ${TOOL}, got the string "tool_${index}"`,
    ),
    'and more',
  ),
]
