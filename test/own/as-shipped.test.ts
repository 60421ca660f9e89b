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
import { documentsOf } from '../deploy/documents.ts'
import { dependenciesIn, listedDependencies, unlisted } from '../support/dependencies.ts'
import { IMAGE_FLAGS } from '../support/image-flags.ts'

// Delete this file with your first change or package. If you maintain the service, copy graph/, src/config.ts and src/studio.ts to
// test/agent/.
test('the graph is the one that the tests of the engine run, and from which the guides begin', async () => {
  const paths = await readdir('graph', { recursive: true })
  const files = paths.filter(name => name.endsWith('.ts')).map(name => [join('graph', name), name])
  for (const [path = '', shipped = ''] of [
    ...files,
    ['src/config.ts', 'config.ts'],
    ['src/studio.ts', 'studio.ts'],
  ])
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

test('every dependency has an exact version, and CONTRIBUTING.md says what it is for', async () => {
  const dependencies = dependenciesIn(await readFile('package.json', 'utf8'))
  expect(dependencies.filter(({ isExact }) => !isExact)).toEqual([])
  expect(unlisted(dependencies, listedDependencies(await readFile('CONTRIBUTING.md', 'utf8')))).toEqual([])
})

/** Two copies of one of these would not know each other's classes and schemas. */
const ONLY_ONE = ['@langchain/core', '@langchain/langgraph', '@langchain/langgraph-sdk', 'hono', 'zod']

test.each(ONLY_ONE)('the lockfile has one version of %s', async name => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'))
  expect(Object.keys(packages).filter(path => path.endsWith(`node_modules/${name}`))).toHaveLength(1)
})

test('the image starts Node with the flags that the tests use', async () => {
  const command = /^CMD (\["node"[^\]]*\])/m.exec(await readFile('Dockerfile', 'utf8'))?.[1] ?? '[]'
  expect(JSON.parse(command.replaceAll('\\\n', ''))).toEqual(['node', ...IMAGE_FLAGS, 'main.js'])
})

test('pods may reach DNS, the web and a Redis, and nothing else', () => {
  const policy = documentsOf('deploy/kubernetes.yaml').find(
    document => (document as { kind: string }).kind === 'NetworkPolicy',
  )
  const { egress } = (policy as { spec: { egress: { ports: { port: number }[] }[] } }).spec
  expect(egress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([53, 53, 443, 80, 6379])
})
