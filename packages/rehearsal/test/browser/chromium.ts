import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

const PACKAGE = new URL('..', import.meta.resolve('@sparticuz/chromium'))
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache', import.meta.url))
const FOLDER = join(CACHE, 'chromium')
/** The machine's fonts and those that come with the browser: without fonts, no text would show. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
</fontconfig>
`
/** Makes no requests of its own, and has no sandbox: root and most containers cannot have one. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
  '--disable-domain-reliability',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
]

/** A headless Chromium for machines without a browser. */
export async function launchChromium(): Promise<Browser> {
  const packaged = await packagedChromium()
  return await chromium.launch(
    packaged ? { ...packaged, args: ARGUMENTS, env: { ...env, ...packaged.env } } : { channel: 'chrome' },
  )
}

/**
 * The packaged Chromium, and the variables that name its libraries and fonts. It is for Linux on x64; elsewhere there is none, and
 * the machine's own Chrome starts.
 */
export async function packagedChromium() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  // Several workers start a browser at once.
  await navigator.locks.request('unpack chromium', unpackOnce)
  return {
    executablePath: join(FOLDER, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(FOLDER, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(FOLDER, 'fonts.conf'),
    },
  }
}

/** Two processes at once unpack into separate folders: the second to finish finds the job done. */
async function unpackOnce(): Promise<void> {
  if (existsSync(FOLDER)) return
  await mkdir(CACHE, { recursive: true })
  const own = await mkdtemp(join(CACHE, 'chromium-'))
  const { TMPDIR } = env
  // The folder into which the package unpacks.
  env.TMPDIR = own
  try {
    const archives = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br']
    await Promise.all(archives.map(name => inflate(fileURLToPath(new URL(`bin/${name}`, PACKAGE)))))
    await writeFile(join(own, 'fonts.conf'), FONTS)
  } finally {
    if (TMPDIR === undefined) delete env.TMPDIR
    else env.TMPDIR = TMPDIR
  }
  await rename(own, FOLDER).catch(async (error: NodeJS.ErrnoException) => {
    await rm(own, { recursive: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}
