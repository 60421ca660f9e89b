import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countTokens } from '@agent-task-service/engine/tokens'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { expect, test } from 'vitest'
import { DEFAULT_SYSTEM_PROMPT, systemPromptFor } from '../../graph/prompts.ts'
import type { AgentContext } from '../../graph/state.ts'
import { calculator } from '../../tools/calculator.ts'
import { time } from '../../tools/time.ts'
import { createWebSearch } from '../../tools/web-search.ts'

// Delete this file once the graph is your own. If you maintain the service, copy graph/ and src/config.ts to test/agent/.
test('the graph is the one that the tests of the engine run, and from which the guides begin', async () => {
  const paths = await readdir('graph', { recursive: true })
  const files = paths.filter(name => name.endsWith('.ts')).map(name => [join('graph', name), name])
  for (const [path = '', shipped = ''] of [...files, ['src/config.ts', 'config.ts']])
    expect(await readFile(join('test/agent', shipped), 'utf8')).toBe(await readFile(path, 'utf8'))
})

/** The service leaves it out. */
const withoutDialect = (key: string, value: unknown) => (key === '$schema' ? undefined : value)

test('the prompt and the schemas of the tools take at most 420 tokens of a request', async () => {
  const search = createWebSearch({ engines: [{ provider: 'wikipedia', url: 'https://en.wikipedia.org' }] })
  const tools: StructuredToolInterface[] = [calculator, time, search]
  const schemas = tools.map(tool => JSON.stringify(convertToOpenAITool(tool), withoutDialect))
  const prompt = systemPromptFor({ systemPrompt: DEFAULT_SYSTEM_PROMPT, tools }, {} as AgentContext)
  const counts = await Promise.all([prompt, ...schemas].map(text => countTokens(text)))
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(420)
})
