import { existsSync, readFileSync } from 'node:fs'
import { StartError } from '@agent-task-service/rehearsal/command-line'

export const MANIFEST = 'package.json'
export const LOCKFILE = 'package-lock.json'
/** Where a package.json lists what is installed. */
export const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const

export type Versions = Record<string, string>
export type Manifest = Partial<Record<(typeof KINDS)[number], Versions>> & {
  overrides?: Record<string, unknown>
}

/** @throws {StartError} if there is none, or it cannot be read */
export function readManifest(): Manifest {
  if (!existsSync(MANIFEST)) throw new StartError('expected an agent in this folder, got no package.json')
  try {
    return JSON.parse(readFileSync(MANIFEST, 'utf8'))
  } catch (error) {
    throw new StartError(`${MANIFEST}: ${(error as Error).message}`)
  }
}

/** Names and versions of all that a package.json lists. */
export const listedIn = (manifest: Manifest) => KINDS.flatMap(kind => Object.entries(manifest[kind] ?? {}))

/** JSON, indented as a file is, in base64. */
export function encoded(value: unknown, path: string): string {
  const [, indent = '  '] = /^[[{]\r?\n([ \t]+)/.exec(readFileSync(path, 'utf8')) ?? []
  return Buffer.from(`${JSON.stringify(value, null, indent)}\n`).toString('base64')
}
