import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '@agent-task-service/rehearsal/command-line'
import { changesSince } from './changes.ts'
import { isOurs, offerIn, type Packed, withNeeds } from './offer.ts'

/** Where an agent has the packages. */
const FOLDER = 'packages'
const INSTALLED = 'node_modules/@agent-task-service/engine'
const KINDS = ['dependencies', 'devDependencies'] as const

type Versions = Record<string, string>
type Manifest = Partial<Record<(typeof KINDS)[number], Versions>> & { overrides?: Record<string, unknown> }

/**
 * Takes the packages in a folder into the agent in the current one.
 *
 * @returns what has changed, for people
 * @throws {StartError} if that cannot be; all is as before then
 */
export async function upgrade(folder: string): Promise<string> {
  const offer = offerIn(folder)
  const manifest = readManifest()
  const listed = KINDS.flatMap(kind => Object.keys(manifest[kind] ?? {})).filter(isOurs)
  if (listed.length === 0)
    throw new StartError('expected an agent that has the packages in its package.json, got one without')
  const before = installedVersion()
  const packages = withNeeds(listed, offer)
  const shared = sharedVersions(manifest, packages)
  mkdirSync(FOLDER, { recursive: true })
  for (const { file } of packages) copyFileSync(join(folder, file), join(FOLDER, file))
  const old = ownFiles(manifest).filter(path => !packages.some(({ file }) => path === join(FOLDER, file)))
  install(() => setVersions(manifest, packages, shared))
  for (const path of old) rmSync(path, { force: true })
  const { version } = packages[0]!
  return [
    `${before} → ${version}: ${packages.map(({ name }) => name).join(', ')}`,
    ...shared.map(({ name, from, to }) => `as they need it, ${name} ${from} → ${to}`),
    '',
    changesSince(before, join(INSTALLED, 'CHANGELOG.md')),
    '',
    `Now run "npm test". Where a name has changed, it says so; ${INSTALLED}/docs/upgrading.md lists them.`,
  ].join('\n')
}

function readManifest(): Manifest {
  if (!existsSync('package.json'))
    throw new StartError('expected an agent in this folder, got no package.json')
  return JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
}

function installedVersion(): string {
  const path = join(INSTALLED, 'package.json')
  if (!existsSync(path))
    throw new StartError('expected the packages to be installed: run "npm install" first')
  return JSON.parse(readFileSync(path, 'utf8')).version
}

/** Two versions of what the agent and the packages both import would not know each other's objects. */
function sharedVersions(manifest: Manifest, packages: readonly Packed[]) {
  const needed: Versions = Object.assign({}, ...packages.map(({ dependencies }) => dependencies))
  const own: Versions = { ...manifest.devDependencies, ...manifest.dependencies }
  return Object.entries(own).flatMap(([name, from]) => {
    const to = needed[name]
    return to === undefined || to === from || isOurs(name) ? [] : [{ name, from, to }]
  })
}

/** The packages' files that the agent has now. */
function ownFiles(manifest: Manifest): string[] {
  const specifiers = KINDS.flatMap(kind => Object.entries(manifest[kind] ?? {}))
  return specifiers.flatMap(([name, version]) =>
    isOurs(name) && version.startsWith(`file:${FOLDER}/`) ? [version.slice('file:'.length)] : [],
  )
}

function setVersions(
  manifest: Manifest,
  packages: readonly Packed[],
  shared: ReturnType<typeof sharedVersions>,
): void {
  const files = packages.map(({ name, file }) => [name, `file:${FOLDER}/${file}`] as const)
  const wanted = new Map([...files, ...shared.map(({ name, to }) => [name, to] as const)])
  for (const kind of KINDS)
    for (const name of Object.keys(manifest[kind] ?? {})) {
      const version = wanted.get(name)
      if (version !== undefined) manifest[kind]![name] = version
      wanted.delete(name)
    }
  // What the packages need now and did not need before.
  manifest.dependencies = { ...manifest.dependencies, ...Object.fromEntries(wanted) }
  // Otherwise npm would ask the registry for what the packages need of each other, which others may own there.
  manifest.overrides = {
    ...manifest.overrides,
    ...Object.fromEntries(packages.map(({ name }) => [name, `$${name}`])),
  }
  writeFileSync('package.json', json(manifest))
  forget()
}

/** The lockfile has digests of the files; another file of the same name would not fit. */
function forget(): void {
  if (!existsSync('package-lock.json')) return
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  for (const path of Object.keys(lock.packages)) {
    if (isOurs(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)))
      delete lock.packages[path]
  }
  writeFileSync('package-lock.json', json(lock))
}

/** @throws {StartError} with package.json and package-lock.json as before */
function install(change: () => void): void {
  const changed = ['package.json', 'package-lock.json'].filter(existsSync)
  const texts = changed.map(path => readFileSync(path, 'utf8'))
  change()
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], { stdio: 'inherit' })
  if (status === 0) return
  for (const [index, path] of changed.entries()) writeFileSync(path, texts[index]!)
  throw new StartError(`npm install failed (exit code ${status}): ${changed.join(' and ')} are as before`)
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
