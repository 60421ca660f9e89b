import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
/** Of what packages need by a range, the newest of this day: tomorrow the same is installed. */
const DAY = '2026-11-30'

/**
 * Programs of packages that a test alone needs, from npm's registry. They stay for the next run.
 *
 * @param packages with their exact versions, such as `@playwright/mcp@0.0.83`
 * @returns the path of a program by its name
 */
export async function installed(packages: readonly string[]): Promise<(program: string) => string> {
  const digest = createHash('sha256')
    .update([DAY, ...packages].join())
    .digest('hex')
  const folder = join(CACHE, `installed-${digest.slice(0, 8)}`)
  if (!existsSync(folder)) await install(packages, folder)
  return program => join(folder, 'node_modules/.bin', program)
}

/** Two processes at once install into separate folders: the second to finish finds the job done. */
async function install(packages: readonly string[], folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const own = await mkdtemp(join(CACHE, 'installing-'))
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  try {
    await promisify(execFile)('npm', [
      'install',
      ...['--prefix', own, '--before', DAY, '--save-exact', ...options],
      ...packages,
    ])
    await rename(own, folder)
  } catch (error) {
    await rm(own, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}
