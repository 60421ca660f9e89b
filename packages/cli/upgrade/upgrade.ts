import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { StartError } from '@agent-task-service/rehearsal/command-line'
import { allOrNothing, type Contents } from './all-or-nothing.ts'
import { changelogSince, isOlder } from './changes.ts'
import {
  encoded,
  KINDS,
  LOCKFILE,
  listedIn,
  MANIFEST,
  type Manifest,
  packageManifest,
  readJson,
  readLockfile,
  readManifest,
} from './manifest.ts'
import { isOurs, isTarball, offerIn, type Packed, withNeeds } from './offer.ts'
import { type Shared, sharedVersions } from './shared.ts'

/** Where an agent has the packages. */
const FOLDER = 'packages'
const INSTALLED = 'node_modules/@agent-task-service/engine'

/**
 * Takes the packages in a folder into the agent in the current one.
 *
 * @returns what has changed, for people
 * @throws {StartError} if that cannot be; the agent's files are as before then
 */
export function upgrade(folder: string): string {
  const offer = offerIn(folder)
  const manifest = readManifest()
  const listed = listedIn(manifest)
    .map(([name]) => name)
    .filter(isOurs)
  if (listed.length === 0)
    throw new StartError('expected an agent that has the packages in its package.json, got one without')
  const old = filesOf(manifest)
  const before = installedVersion()
  const gone = listed.filter(name => !offer.has(name))
  const packages = withNeeds(
    listed.filter(name => offer.has(name)),
    offer,
  )
  const shared = sharedVersions(manifest, packages)
  const brought: Contents = Object.fromEntries(
    packages.map(({ file }) => [join(FOLDER, file), readFileSync(join(folder, file), 'base64')]),
  )
  expectFree(brought, old)
  // In this order, what package.json names is there at any moment, and no digest is of another file: after a kill, it can run again.
  const files = {
    [LOCKFILE]: lockWithoutOurs(),
    ...brought,
    [MANIFEST]: withVersions(manifest, packages, shared),
    ...Object.fromEntries(old.filter(path => !(path in brought)).map(path => [path, null])),
  }
  allOrNothing(files, install)
  return report(before, packages, shared, gone)
}

function installedVersion(): string {
  if (!existsSync(INSTALLED))
    throw new StartError('expected the packages to be installed: run "npm install" first')
  if (lstatSync(INSTALLED).isSymbolicLink())
    throw new StartError(
      'expected an agent that has the packages installed, got a clone of their repository: see "From a fork" in docs/guides/upgrading.md',
    )
  return readJson(join(INSTALLED, MANIFEST), packageManifest.pick({ version: true })).version
}

/**
 * The packages' files that the agent has now. Another file in their folder is its owner's.
 *
 * @throws {StartError} if it has a folder in place of one
 */
function filesOf(manifest: Manifest): string[] {
  const ours = listedIn(manifest).filter(([name, version]) => isOurs(name) && version.startsWith('file:'))
  return ours
    .map(([name, version]) => {
      const path = normalize(version.slice('file:'.length))
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
        throw new StartError(`${MANIFEST}: expected a packed package as ${name}, got a folder: ${version}`)
      return path
    })
    .filter(path => dirname(path) === FOLDER && isTarball(basename(path)))
}

/** @throws {StartError} if its owner has another file where one of the packages shall be */
function expectFree(brought: Contents, old: readonly string[]): void {
  for (const [path, content] of Object.entries(brought)) {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!found || old.includes(path)) continue
    if (found.isFile() && readFileSync(path, 'base64') === content) continue
    throw new StartError(
      `expected room for a package of that name, got a file which ${MANIFEST} does not name as one of the packages: ${path}`,
    )
  }
}

/** What package.json is to hold, in base64. */
function withVersions(manifest: Manifest, packages: readonly Packed[], shared: readonly Shared[]): string {
  const ours = packages.map(({ name, file }) => [name, `file:${FOLDER}/${file}`] as const)
  const wanted = new Map<string, string>([
    ...ours,
    ...shared.filter(({ isKept }) => !isKept).map(({ name, to }) => [name, to] as const),
  ])
  for (const kind of KINDS)
    for (const name of Object.keys(manifest[kind] ?? {}))
      if (wanted.has(name)) manifest[kind]![name] = wanted.get(name)!
      else if (isOurs(name)) delete manifest[kind]![name]
  // What the packages need now and did not need before.
  const added = ours.filter(([name]) => !listedIn(manifest).some(([listed]) => listed === name))
  manifest.dependencies = { ...manifest.dependencies, ...Object.fromEntries(added) }
  // Otherwise npm would ask the registry for what the packages need of each other, which others may own there.
  const others = Object.entries(manifest.overrides ?? {}).filter(([name]) => !isOurs(name))
  manifest.overrides = Object.fromEntries([...others, ...ours.map(([name]) => [name, `$${name}`])])
  return encoded(manifest, MANIFEST)
}

/** What the lockfile is to hold: it has digests of the files, and another file of the same name would not fit. */
function lockWithoutOurs(): string | null {
  const lock = readLockfile()
  if (!lock) return null
  for (const path of Object.keys(lock.packages))
    if (path.includes('node_modules/@agent-task-service/')) delete lock.packages[path]
  return encoded(lock, LOCKFILE)
}

/** @throws {StartError} */
function install(): void {
  const { status, signal, error } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
    stdio: 'inherit',
  })
  if (status === 0) return
  const why = error?.message ?? signal ?? `exit code ${status}`
  throw new StartError(
    `npm install failed (${why}): ${MANIFEST}, ${LOCKFILE} and ${FOLDER}/ are as before; "npm install" puts node_modules right`,
  )
}

function report(
  before: string,
  packages: readonly Packed[],
  shared: readonly Shared[],
  gone: readonly string[],
): string {
  const { version } = packages[0]!
  return [
    `${before} → ${version}: ${packages.map(({ name }) => name).join(', ')}`,
    ...shared.map(({ name, from, to, isKept }) =>
      isKept
        ? `${name} stays at ${from}, a copy of your own beside the packages' ${to}`
        : `as they need it, ${name} ${from} → ${to}`,
    ),
    ...gone.map(name => `${name} is no package of ${version}: it is no longer in ${MANIFEST}`),
    '',
    whatChanged(before, version),
    '',
    `Now run "npm test". Where a name has changed, it says so; ${INSTALLED}/docs/guides/upgrading.md lists them.`,
  ].join('\n')
}

function whatChanged(before: string, version: string): string {
  if (version === before) return 'That is the version which was there before.'
  if (isOlder(version, before)) return `${version} is older than ${before}: what came since is gone.`
  return changelogSince(before, join(INSTALLED, 'CHANGELOG.md'))
}
