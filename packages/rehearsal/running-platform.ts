import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where a platform keeps its records, unless it is told otherwise. */
export const DATABASE_FILE = '.staging/platform.db'

/** Next to a database, the port of the platform that has it open. */
function portFile(databaseFile: string): string {
  return join(dirname(databaseFile), 'platform-port')
}

/** Says where this platform listens, for programs on this machine, until its process exits; if the disk is full, they do not learn it. */
export function announce(databaseFile: string, url: string): void {
  const file = portFile(databaseFile)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, new URL(url).port, { mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
  process.once('exit', () => rmSync(file, { force: true }))
}

/** The address of the platform that runs in this folder; undefined if none does. */
export function runningPlatform(): string | undefined {
  try {
    return `http://127.0.0.1:${Number(readFileSync(portFile(DATABASE_FILE), 'utf8'))}`
  } catch {
    return undefined
  }
}
