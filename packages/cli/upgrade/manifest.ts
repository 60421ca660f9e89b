import { existsSync, readFileSync } from 'node:fs'
import { StartError } from '@agent-task-service/rehearsal/command-line'
import { z } from 'zod'

export const MANIFEST = 'package.json'
export const LOCKFILE = 'package-lock.json'
/** Where a package.json lists what is installed. */
export const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const

export type Versions = Record<string, string>
export type Manifest = Partial<Record<(typeof KINDS)[number], Versions>> & {
  overrides?: Record<string, unknown>
}

const versions = z.record(z.string(), z.string()).optional()
const manifest = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  overrides: z.record(z.string(), z.unknown()).optional(),
})
/** The package.json of a package. */
export const packageManifest = z.object({ name: z.string(), version: z.string(), dependencies: versions })
const lockfile = z.object({
  lockfileVersion: z
    .int()
    .min(2, { error: ({ input }) => `expected 2 or later, got ${input}: "npm install" writes it anew` }),
  packages: z.record(z.string(), z.unknown()),
})

/** @throws {StartError} if there is none, or it cannot be read */
export function readManifest(): Manifest {
  if (!existsSync(MANIFEST)) throw new StartError('expected an agent in this folder, got no package.json')
  return readJson(MANIFEST, manifest)
}

/** @returns `undefined` if there is none @throws {StartError} if it cannot be read */
export function readLockfile(): z.infer<typeof lockfile> | undefined {
  return existsSync(LOCKFILE) ? readJson(LOCKFILE, lockfile) : undefined
}

/**
 * A file's JSON with all that it has, in its order.
 *
 * @throws {StartError} if that is not of a shape, or no JSON
 */
export function readJson<Value>(path: string, shape: z.ZodType<Value>): Value {
  const value = parse(path)
  const [issue] = shape.safeParse(value).error?.issues ?? []
  if (issue) throw new StartError([path, ...issue.path, issue.message].map(String).join(': '))
  return value as Value
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new StartError(`${path}: ${(error as Error).message.replaceAll('\n', ' ')}`)
  }
}

/** Names and versions of all that a package.json lists. */
export const listedIn = (manifest: Manifest) => KINDS.flatMap(kind => Object.entries(manifest[kind] ?? {}))

/** JSON, indented as a file is, in base64. */
export function encoded(value: unknown, path: string): string {
  const [, indent = '  '] = /^[[{]\r?\n([ \t]+)/.exec(readFileSync(path, 'utf8')) ?? []
  return Buffer.from(`${JSON.stringify(value, null, indent)}\n`).toString('base64')
}
