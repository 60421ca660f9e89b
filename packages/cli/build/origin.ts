import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Environment } from '@agent-task-service/rehearsal/command-line'

/** Where a build comes from: the same for every build of one commit. */
export interface Origin {
  readonly version: string
  /** Full git hash, with `-dirty` if the work tree differs; `unknown` without git and `REVISION`. */
  readonly commit: string
  /** When it was committed, without git now, in whole seconds: ISO 8601 in UTC. */
  readonly time: string
  /** Digest of `package-lock.json`, of a workspace that of its root, which lists every package with its digest; `unknown` without that. */
  readonly lockfile: string
  /** Version of the Node that built it; in the image, the same one runs it. */
  readonly node: string
}

/** The origin of the working directory. `REVISION` and `SOURCE_DATE_EPOCH` replace git if it is missing. */
export async function origin({ REVISION, SOURCE_DATE_EPOCH }: Environment): Promise<Origin> {
  const commit = REVISION ?? (await git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'))
  const committed = SOURCE_DATE_EPOCH ?? (await git('log', '-1', '--format=%ct'))
  const seconds = Number(committed) || Math.floor(Date.now() / 1000)
  const lockfile = lockfileAbove(process.cwd())
  const lock = lockfile && (await readFile(lockfile))
  return {
    version: JSON.parse(await readFile('package.json', 'utf8')).version,
    commit: commit || 'unknown',
    time: new Date(seconds * 1000).toISOString(),
    lockfile: lock ? `sha256:${createHash('sha256').update(lock).digest('hex')}` : 'unknown',
    node: process.versions.node,
  }
}

/** The nearest lockfile, in the folder or above it. */
function lockfileAbove(folder: string): string | undefined {
  const path = join(folder, 'package-lock.json')
  if (existsSync(path)) return path
  return folder === dirname(folder) ? undefined : lockfileAbove(dirname(folder))
}

/** Sets the time of a folder and all its files to that of the commit, since image layers record it. */
export async function setTimes(folder: string, { time }: Origin): Promise<void> {
  const paths = await readdir(folder, { recursive: true })
  for (const path of [...paths.map(name => join(folder, name)), folder]) {
    await utimes(path, new Date(time), new Date(time))
  }
}

/** Git's output; empty without git or outside a repository. */
async function git(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args).catch(() => ({ stdout: '' }))
  return stdout.trim()
}
