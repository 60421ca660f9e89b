import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The path of a file or folder to create, in a folder that is deleted with the test. */
export async function newFile(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'staging-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, name)
}
