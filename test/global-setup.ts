import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { Metafile } from 'esbuild'
import { bundle } from '../scripts/build.ts'

const FOLDER = 'node_modules/.cache/process'
const METAFILE = `${FOLDER}/metafile.json`
const DIGEST = `${FOLDER}/digest`
/** The versions of Node that everything runs on. */
const TESTED = ['24', '26']

export default async function setup(): Promise<void> {
  const [major = ''] = process.versions.node.split('.')
  if (!TESTED.includes(major)) {
    throw new Error(
      `expected Node ${TESTED.join(' or ')}, which .ci/run tries, got ${process.version}: run "npm test"`,
    )
  }
  if (await isCurrent()) return
  // The process tests start the same bundle that ships.
  const built = await bundle('packages/test-support/process-entry.ts', FOLDER)
  await writeFile(METAFILE, JSON.stringify(built))
  // Last, so that an interrupted build has none.
  await writeFile(DIGEST, await digestOf(built))
}

/** Whether an earlier run's bundle is what a build would produce now; a build keeps both processors busy for seconds. */
async function isCurrent(): Promise<boolean> {
  const [metafile, digest] = await Promise.all([METAFILE, DIGEST].map(path => readFile(path, 'utf8'))).catch(
    () => [],
  )
  return metafile !== undefined && digest === (await digestOf(JSON.parse(metafile)))
}

/** Digest of everything that a build reads. */
async function digestOf({ inputs }: Metafile): Promise<string> {
  const hash = createHash('sha256')
  for (const path of ['package-lock.json', 'tsconfig.json', 'scripts/build.ts', ...Object.keys(inputs)])
    hash.update(`\0${path}\0`).update(await readFile(path).catch(() => 'none'))
  return hash.digest('hex')
}
