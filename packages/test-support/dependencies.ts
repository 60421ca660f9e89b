import { matchesGlob } from 'node:path'

interface Dependency {
  readonly name: string
  /** Whether npm may install no other version. */
  readonly isExact: boolean
}

/** All kinds of dependencies in the text of a `package.json`, but for the project's own packages. */
export function dependenciesIn(manifest: string): Dependency[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(manifest)
  const all: Record<string, string> = {
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
    ...peerDependencies,
  }
  return Object.entries(all)
    .filter(([name]) => !name.startsWith('@agent-task-service/'))
    .map(([name, version]) => ({ name, isExact: /^(npm:\S+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) }))
}

/** The names in the tables of CONTRIBUTING.md, which may be patterns. */
export function listedDependencies(contributing: string): string[] {
  const [, section = ''] = contributing.split('## Dependencies\n')
  const rows = section
    .split('\n## ')[0]!
    .split('\n')
    .filter(line => line.startsWith('| `'))
  return rows.flatMap(row => [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

/** Those that match none of the patterns. */
export function unlisted(dependencies: readonly Dependency[], patterns: readonly string[]): string[] {
  return dependencies
    .map(({ name }) => name)
    .filter(name => !patterns.some(pattern => matchesGlob(name, pattern)))
}
