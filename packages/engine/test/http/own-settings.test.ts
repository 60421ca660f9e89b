import { describeIssues, runRequestFor } from '@agent-task-service/wire/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** What a graph might declare. */
const AgentContext = z.object({
  tenant: z.string().optional().describe('Whose data to use'),
  language: z.enum(['English', 'German']).default('English'),
  mark: z.string().nullable().default('!'),
})

const schema = runRequestFor(() => [], AgentContext.shape)
const ask = (config: unknown) => schema.safeParse({ task_id: 'test-1', input: 'Hello', config })

// EVIDENCE-OF docs/reference/graph-rules.md: It ignores undeclared members.
test.each([
  [{ tenant: 'acme' }, { tenant: 'acme', language: 'English', mark: '!' }],
  [
    { tenant: null, language: null, mark: null },
    { tenant: undefined, language: 'English', mark: null },
  ],
  [
    { language: 'German', undeclared: 1 },
    { language: 'German', mark: '!' },
  ],
  [undefined, undefined],
])('own settings %j arrive as %j', (config, arrived) => {
  expect(ask(config).data?.config).toEqual(arrived)
})

// EVIDENCE-OF docs/guides/graph.md: Over HTTP, `"config": {"audience": "children"}` sets it, and `{"audience": 7}` is refused with
//   what was expected.
// EVIDENCE-OF docs/reference/graph-rules.md: All own settings together may take 16,384 characters of JSON.
test.each([
  [{ tenant: 7 }, 'config.tenant: Invalid input: expected string, got the number 7'],
  [
    { language: 'Latin' },
    'config.language: Invalid option: expected one of "English"|"German", got the string "Latin"',
  ],
  [
    { tenant: 'x'.repeat(16_385 - '{"tenant":"","language":"English","mark":"!"}'.length) },
    'config: expected at most 16384 characters of own settings as JSON, got 16385',
  ],
])('%j is refused', (config, expected) => {
  expect(describeIssues(ask(config).error?.issues ?? [], { config })).toContain(expected)
})

test('no config where a setting is needed is refused, with its name', () => {
  const needing = runRequestFor(() => [], { ...AgentContext.shape, user_id: z.string() })
  const { error } = needing.safeParse({ task_id: 'test-1', input: 'Hello' })
  expect(describeIssues(error?.issues ?? [], {})).toBe(
    'invalid request: config: expected an object with user_id, got nothing',
  )
})

// EVIDENCE-OF docs/reference/graph-rules.md: All own settings together may take 16,384 characters of JSON.
test('16,384 characters of own settings are taken', () => {
  const others = '{"tenant":"","language":"English","mark":"!"}'.length
  expect(ask({ tenant: 'x'.repeat(16_384 - others) }).success).toBe(true)
})

// EVIDENCE-OF packages/engine/README.md: former names of tools, which `enabled_tools` may still hold
test.each([
  [
    ['table', 'time'],
    ['code', 'time'],
    ['code', 'time'],
  ],
  [['table'], ['table', 'code'], ['table']],
  [['table'], ['time'], undefined],
])('enabled_tools %j, where the tools are %j, means %j', (enabled_tools, tools, meant) => {
  const renamed = runRequestFor(() => tools, {}, new Map([['table', 'code']]))
  const { data } = renamed.safeParse({ task_id: 'test-1', input: 'Hello', config: { enabled_tools } })
  expect(data?.config?.enabled_tools).toEqual(meant)
})
