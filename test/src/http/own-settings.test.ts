import { expect, test, vi } from 'vitest'

/** Stands in for a graph that declares settings of its own. */
vi.mock(import('../../../graph/state.ts'), async load => {
  const state = await load()
  const { z } = await import('zod')
  const AgentContext = state.AgentContext.extend({
    tenant: z.string().optional().describe('Whose data to use'),
    labels: z.record(z.string(), z.string()).optional(),
    language: z.enum(['English', 'German']).default('English'),
  })
  return { ...state, AgentContext: AgentContext as unknown as typeof state.AgentContext }
})

const { runRequestFor, describeIssues } = await import('../../../src/wire/contract.ts')
const { z } = await import('zod')

const schema = runRequestFor(() => [])
const ask = (config: unknown) => schema.safeParse({ task_id: 'test-1', input: 'Hello', config })

test.each([
  [{ tenant: 'acme' }, { tenant: 'acme', language: 'English' }],
  [{ tenant: null }, { tenant: undefined, language: 'English' }],
  [{ language: 'German', undeclared: 1 }, { language: 'German' }],
  [undefined, undefined],
])('own settings %j arrive as %j', (config, arrived) => {
  expect(ask(config).data?.config).toEqual(arrived)
})

test.each([
  [{ tenant: 7 }, 'config.tenant: Invalid input: expected string, received number'],
  [{ language: 'Latin' }, 'config.language: Invalid option: expected one of "English"|"German"'],
  [
    { tenant: 'x'.repeat(17_000) },
    'config: expected at most 16384 characters of own settings as JSON, got 17',
  ],
])('%j is refused', (config, expected) => {
  expect(describeIssues(ask(config).error?.issues ?? [])).toContain(expected)
})

test('the OpenAPI schema has them', () => {
  const { $defs } = z.toJSONSchema(schema, { io: 'input' }) as unknown as { $defs: { RunConfig: object } }
  expect($defs.RunConfig).toMatchObject({
    properties: { tenant: { description: 'Whose data to use' }, language: expect.anything() },
  })
})
