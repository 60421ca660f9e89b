import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '@agent-task-service/rehearsal/command-line'
import type { z } from 'zod'
import { packageManifest } from './manifest.ts'

const SCOPE = '@agent-task-service/'
/** Whether npm calls one of these so when it packs it. */
export const isTarball = (file: string) => /^agent-task-service-.*\.tgz$/.test(file)

/** A packed package. */
export interface Packed extends z.infer<typeof packageManifest> {
  /** Its file's name. */
  readonly file: string
}

/** Whether a package is one of those that serve an agent. */
export const isOurs = (name: string) => name.startsWith(SCOPE)

/**
 * The packed packages in a folder, by name.
 *
 * @throws {StartError} if there are none, of several versions, or one of them twice
 */
export function offerIn(folder: string): ReadonlyMap<string, Packed> {
  const expected = `expected a folder with the packed packages: dist/packages in their checkout after "npm run build:packages"`
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new StartError(`${expected}, got no folder: ${folder}`)
  const files = readdirSync(folder).filter(isTarball)
  const offer = new Map<string, Packed>()
  for (const file of files) {
    const packed = { ...manifestOf(join(folder, file)), file }
    const other = offer.get(packed.name)
    if (other)
      throw new StartError(
        `${expected}, each of them once, got ${packed.name} in ${other.file} and in ${file}: ${folder}`,
      )
    offer.set(packed.name, packed)
  }
  const versions = new Set([...offer.values()].map(({ version }) => version))
  if (versions.size !== 1)
    throw new StartError(
      `${expected}, of one version, got ${[...versions].join(', ') || 'none'} in ${folder}`,
    )
  return offer
}

/** @throws {StartError} for anything but a package */
function manifestOf(tarball: string): z.infer<typeof packageManifest> {
  try {
    const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return packageManifest.parse(JSON.parse(manifest))
  } catch {
    throw new StartError(`${tarball}: expected a package that npm has packed`)
  }
}

/**
 * Packages of an offer, with those of it that they need.
 *
 * @throws {StartError} for one that is not offered
 */
export function withNeeds(names: readonly string[], offer: ReadonlyMap<string, Packed>): Packed[] {
  const needed = new Set(names)
  for (const name of needed) {
    const packed = offer.get(name)
    if (!packed) throw new StartError(`expected a package ${name} among the packed ones, got none`)
    for (const other of Object.keys(packed.dependencies ?? {})) if (isOurs(other)) needed.add(other)
  }
  return [...needed].sort().map(name => offer.get(name)!)
}
