import { readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8')
const [, section = ''] = page.split('## Dependencies\n')
const rows = section
  .split('\n## ')[0]!
  .split('\n')
  .filter(line => line.startsWith('| `'))
const listed = rows.flatMap(row =>
  [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
)
const { dependencies, devDependencies, optionalDependencies } = packageJson
const installed = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })

test('CONTRIBUTING.md says what each direct dependency is for, and lists no others', () => {
  const isListed = (name: string) => listed.some(pattern => matchesGlob(name, pattern))
  expect(installed.filter(name => !isListed(name))).toEqual([])
  expect(listed.filter(pattern => !installed.some(name => matchesGlob(name, pattern)))).toEqual([])
})
