/**
 * Gives the project and its packages a version, in their manifests and in the lockfile: `node scripts/set-version.ts 0.3.0`.
 * `npm version` leaves what they say of each other.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Versions = Record<string, string>

/** A manifest, or what the lockfile has of it. */
interface Entry {
  name: string
  version: string
  dependencies?: Versions
  devDependencies?: Versions
}

interface Lockfile {
  version: string
  packages: Record<string, Entry>
}

const LOCKFILE = 'package-lock.json'
const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`expected a version as 0.3.0, got "${version}"`)

const folders = globSync('packages/*/package.json').map(dirname)
const names = folders.map(folder => read<Entry>(join(folder, 'package.json')).name)
for (const folder of ['.', ...folders]) {
  const path = join(folder, 'package.json')
  write(path, raised(read<Entry>(path)))
}
const lockfile = read<Lockfile>(LOCKFILE)
for (const key of ['', ...folders]) lockfile.packages[key] = raised(lockfile.packages[key]!)
write(LOCKFILE, { ...lockfile, version })

function raised(entry: Entry): Entry {
  for (const dependencies of [entry.dependencies, entry.devDependencies])
    for (const name of names) if (dependencies?.[name]) dependencies[name] = version
  return { ...entry, version }
}

function read<Content>(path: string): Content {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function write(path: string, content: unknown): void {
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
}
