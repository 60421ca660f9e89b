import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { expect, test } from 'vitest'
import { DEFAULT_SYSTEM_PROMPT, systemPromptFor } from '../../graph/prompts.ts'
import { countTokens } from '../../graph/run/tokens.ts'
import type { AgentContext } from '../../graph/state.ts'
import { createTools } from '../../tools/create-tools.ts'

// Delete this file once the graph is your own. If you maintain the service: npm test -- test/own -u
test('the graph is the one from which the guides and their tests begin', async () => {
  const paths = await readdir('test/data/shipped', { recursive: true })
  for (const path of paths.filter(name => name.endsWith('.ts')))
    await expect(await readFile(path, 'utf8')).toMatchFileSnapshot(join('../data/shipped', path))
})

/** The service leaves it out. */
const withoutDialect = (key: string, value: unknown) => (key === '$schema' ? undefined : value)

test('the prompt and the schemas of the tools take at most 420 tokens of a request', async () => {
  const search = { engines: [{ provider: 'wikipedia', url: 'https://en.wikipedia.org' }] } as const
  const tools = createTools({ search }) as StructuredToolInterface[]
  const schemas = tools.map(tool => JSON.stringify(convertToOpenAITool(tool), withoutDialect))
  const prompt = systemPromptFor({ systemPrompt: DEFAULT_SYSTEM_PROMPT, tools }, {} as AgentContext)
  const counts = await Promise.all([prompt, ...schemas].map(text => countTokens(text)))
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(420)
})
