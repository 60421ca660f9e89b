import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dependenciesIn, listedDependencies, unlisted } from '@agent-task-service/test-support/dependencies'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const listed = listedDependencies(read('CONTRIBUTING.md'))
const ofPackages = globSync('{packages/*,test/mutation}/package.json', { cwd: root }).flatMap(path =>
  dependenciesIn(read(path)),
)

// The project's own dependencies are its owner's: test/own/as-shipped.test.ts.
test('CONTRIBUTING.md says what each direct dependency is for, and lists no others', () => {
  expect(unlisted(ofPackages, listed)).toEqual([])
  const installed = [...ofPackages, ...dependenciesIn(read('package.json'))]
  expect(listed.filter(pattern => !installed.some(({ name }) => matchesGlob(name, pattern)))).toEqual([])
})

interface Locked {
  readonly version?: string
  readonly os?: string
  readonly cpu?: string
  readonly bin?: Readonly<Record<string, string>>
}
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Readonly<Record<string, Locked>>
}

// EVIDENCE-OF README.md: `npm ci` installs the one that runs the npm scripts, Node 24, or 26 on Apple Silicon.
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
