/** What holds for the project before its owner's first change. */
import { readFile } from 'node:fs/promises'
import { dependenciesIn, listedDependencies, unlisted } from '@agent-task-service/test-support/dependencies'
import { IMAGE_FLAGS } from '@agent-task-service/test-support/process'
import { expect, test } from 'vitest'
import { documentsOf } from '../deploy/documents.ts'
import { serve } from './over-http.ts'

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

// EVIDENCE-OF README.md: An agent of your own, in under forty files, with the rest as packages:
// EVIDENCE-OF README.md: `npm run dev` serves from the sources, restarts on every save, and logs the messages and stacks of
//   your own errors.
// EVIDENCE-OF README.md: Without one, an embedded offline model does arithmetic, units, times and dates.
test('answers the example in the README, word for word', async () => {
  const readme = await readFile('README.md', 'utf8')
  const [, request = ''] = /-d '(\{[^']*\})'/.exec(readme) ?? []
  const [, shown = ''] = /```json\n(.*)\n```/.exec(readme) ?? []
  const { input } = JSON.parse(request)
  const { output, metrics } = JSON.parse(shown)
  const { run } = await serve(process.cwd(), {})
  const { duration_sec: _, ...figures } = metrics
  expect(await run({ input })).toMatchObject({ output, error: undefined, metrics: figures })
})
