import { globSync, readFileSync } from 'node:fs'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'
import { isAsset, isOwn, shipped } from '../modules/rules.ts'
import { ownModulesInBundle } from './own-modules.ts'

// CommonJS packages in the bundle expect names that ES modules lack.
const banner = [
  "import { createRequire as __createRequire } from 'node:module'",
  "import { fileURLToPath as __fileURLToPath } from 'node:url'",
  "import { dirname as __pathDirname } from 'node:path'",
  'const require = __createRequire(import.meta.url)',
  'const __filename = __fileURLToPath(import.meta.url)',
  'const __dirname = __pathDirname(__filename)',
].join(';')

/** The process in which `web_search` reads pages, for an agent that has the package. */
const READER = '@agent-task-service/starter/web-search/reader-main'

/** Where a module is that the project in the current folder could import; `undefined` if it could not. */
function inProject(name: string): string | undefined {
  try {
    return createRequire(resolve('package.json')).resolve(name)
  } catch {
    return undefined
  }
}

/** Turns libraries' large tables into JSON text, which V8 reads several times faster than a literal. */
const tablesAsJson: Plugin = {
  name: 'tables as JSON',
  setup({ onLoad }) {
    onLoad({ filter: /\/bpeRanks\/o200k_base\.js$/ }, async ({ path }) => {
      const { default: table } = await import(pathToFileURL(path).href)
      return { contents: `export default JSON.parse(${JSON.stringify(JSON.stringify(table))})` }
    })
    onLoad({ filter: /\/cityMap\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')))
      return { contents: `module.exports = JSON.parse(${JSON.stringify(text)})`, loader: 'js' }
    })
  },
}

/** This project's packages, where they are installed: their maps lead to their sources. */
const OWN = '/node_modules/@agent-task-service/'

/** Maps all of a library's file to its first line: nobody debugs libraries in the image, and their maps take 5 MB. */
const libraryMaps: Plugin = {
  name: 'library maps',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, ({ path }) => {
      if (!path.includes('/node_modules/') || path.includes(OWN)) return undefined
      // One at a time: esbuild asks for hundreds at once, more than some machines let a process open.
      const code = readFileSync(path, 'utf8')
      const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: 'AAAA' })
      const data = Buffer.from(map).toString('base64')
      return { contents: `${code}\n//# sourceMappingURL=data:application/json;base64,${data}` }
    })
  },
}

/**
 * Bundles a program into a folder: one file, a chunk for each part that is loaded on first use, and the files that it may read beside
 * its code.
 *
 * @param plugins for builds other than the one that ships
 * @returns esbuild's metafile
 *
 * @example
 * await bundle('src/main.ts', 'dist')
 */
export async function bundle(entry: string, outdir: string, plugins: Plugin[] = []): Promise<Metafile> {
  // Otherwise chunks of earlier builds would end up in the image.
  await rm(outdir, { recursive: true, force: true })
  const reader = inProject(READER)
  const { metafile } = await build({
    // The reader is next to the chunks that start it.
    entryPoints: { [basename(entry, '.ts')]: entry, ...(reader && { 'chunks/reader-main': reader }) },
    metafile: true,
    outdir,
    bundle: true,
    // V8 reads whole files, even code that never runs. In one file with the rest, the tokenizer, mathjs and the model
    // clients would cost 55 MB of idle memory and nearly double the CPU time of start-up.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    // Identifiers are not minified: to keep function names, esbuild would redefine them whenever a function is created.
    sourcemap: 'linked',
    sourcesContent: false,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    banner: { js: banner },
    plugins: [ownModulesInBundle, tablesAsJson, libraryMaps, ...plugins],
    // Used only with a terminal, and not installed in the container.
    external: ['pino-pretty'],
    // Written to a file next to each chunk, for the notices.
    legalComments: 'external',
    logLevel: 'warning',
  })
  // Otherwise Node reads each file as CommonJS before it reads it as a module, and keeps both: 10 MB of idle memory.
  await writeFile(join(outdir, 'package.json'), '{"type": "module"}\n')
  await copyAssets(outdir)
  return metafile
}

async function copyAssets(outdir: string): Promise<void> {
  const folders = shipped().filter(isOwn)
  const entries = globSync(
    folders.map(name => `${name}/**`),
    { withFileTypes: true },
  )
  const paths = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  for (const path of paths.filter(isAsset)) await cp(path, join(outdir, relative('.', path)))
}
