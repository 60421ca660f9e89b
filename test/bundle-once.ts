import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { bundle } from '@agent-task-service/cli/bundle'
import type { Metafile } from 'esbuild'

/**
 * Bundles a program of the tests as the service that ships is, unless an earlier run's bundle is what a build would produce
 * now: a build keeps both processors busy for seconds.
 */
export async function bundleOnce(entry: string, folder: string): Promise<void> {
  const [metafile, digest] = [`${folder}/metafile.json`, `${folder}/digest`]
  const [known, before] = await Promise.all([metafile, digest].map(path => readFile(path, 'utf8'))).catch(
    () => [],
  )
  if (known !== undefined && before === (await digestOf(JSON.parse(known)))) return
  const built = await bundle(entry, folder)
  await writeFile(metafile, JSON.stringify(built))
  // Last, so that an interrupted build has none.
  await writeFile(digest, await digestOf(built))
}

/** Digest of everything that a build reads. */
async function digestOf({ inputs }: Metafile): Promise<string> {
  const hash = createHash('sha256')
  for (const path of [
    'package-lock.json',
    'tsconfig.json',
    'packages/cli/build/bundle.ts',
    ...Object.keys(inputs),
  ])
    hash.update(`\0${path}\0`).update(await readFile(path).catch(() => 'none'))
  return hash.digest('hex')
}
