import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const [, section = ''] = page.split('## Dependencies\n')
const rows = section
  .split('\n## ')[0]!
  .split('\n')
  .filter(line => line.startsWith('| `'))
const listed = rows.flatMap(row =>
  [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
)
const installed = globSync('{package.json,packages/*/package.json,test/mutation/package.json}', { cwd: root })
  .map(manifest => JSON.parse(readFileSync(join(root, manifest), 'utf8')))
  .flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  .filter(name => !name.startsWith('@agent-task-service/'))

test('CONTRIBUTING.md says what each direct dependency is for, and lists no others', () => {
  const isListed = (name: string) => listed.some(pattern => matchesGlob(name, pattern))
  expect(installed.filter(name => !isListed(name))).toEqual([])
  expect(listed.filter(pattern => !installed.some(name => matchesGlob(name, pattern)))).toEqual([])
})

interface Locked {
  readonly version?: string
  readonly os?: string
  readonly cpu?: string
  readonly bin?: Readonly<Record<string, string>>
}
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Locked>>
}

/** Two copies of one of these would not know each other's classes and schemas. */
const ONLY_ONE = ['@langchain/core', '@langchain/langgraph', '@langchain/langgraph-sdk', 'hono', 'zod']

test.each(ONLY_ONE)('the lockfile has one version of %s', name => {
  const copies = Object.keys(packages).filter(path => path.endsWith(`node_modules/${name}`))
  expect(copies).toHaveLength(1)
})

test.each([
  { os: 'linux', cpu: 'x64', major: '24' },
  { os: 'linux', cpu: 'arm64', major: '24' },
  { os: 'darwin', cpu: 'x64', major: '24' },
  { os: 'darwin', cpu: 'arm64', major: '26' },
])('npm ci installs Node $major on $os $cpu', ({ os, cpu, major }) => {
  const found = Object.values(packages).filter(
    locked => locked.bin?.node && locked.os === os && locked.cpu === cpu,
  )
  expect(found.map(({ version }) => version?.split('.')[0])).toEqual([major])
})
