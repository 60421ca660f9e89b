import { existsSync, globSync } from 'node:fs'
import { listedIn, type Manifest, packageManifest, readJson, type Versions } from './manifest.ts'
import { isOurs, type Packed } from './offer.ts'

const MODULES = 'node_modules'

/** What an agent and the packages both list. */
export type Shared = ReturnType<typeof sharedVersions>[number]

/**
 * What the agent lists in another version than the packages need. Where both had one copy, they shall have one again, since two do not
 * know each other's objects.
 */
export function sharedVersions(manifest: Manifest, packages: readonly Packed[]) {
  const needed: Versions = Object.assign({}, ...packages.map(({ dependencies }) => dependencies))
  const neededBefore = needsOfInstalled()
  return listedIn(manifest).flatMap(([name, from]) => {
    const to = needed[name]
    if (to === undefined || to === from || isOurs(name)) return []
    // If it had another copy than the packages, it keeps it.
    return [{ name, from, to, isKept: neededBefore[name] !== installedVersion(name) }]
  })
}

function needsOfInstalled(): Versions {
  const manifests = globSync(`${MODULES}/@agent-task-service/*/package.json`)
  return Object.assign({}, ...manifests.map(path => readJson(path, packageManifest.partial()).dependencies))
}

function installedVersion(name: string): string | undefined {
  const path = `${MODULES}/${name}/package.json`
  return existsSync(path) ? readJson(path, packageManifest.partial()).version : undefined
}
