/** Run as a script: bundles the service into `dist/`, with what it is made of, under which terms, and from which commit. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { billOfMaterials, completeBillOfMaterials } from './build/bill-of-materials.ts'
import { origin, setTimes } from './build/origin.ts'
import { writeNotices } from './build/third-party-notices.ts'

// CommonJS packages inside the bundle expect what an ES module does not have.
const banner = [
  "import { createRequire as __createRequire } from 'node:module'",
  "import { fileURLToPath as __fileURLToPath } from 'node:url'",
  "import { dirname as __pathDirname } from 'node:path'",
  'const require = __createRequire(import.meta.url)',
  'const __filename = __fileURLToPath(import.meta.url)',
  'const __dirname = __pathDirname(__filename)',
].join(';')

/** The thread in which `web_search` reads pages. */
const READER_THREAD = 'tools/web-search/reader-thread.ts'

/** Large tables of libraries as JSON text: V8 reads it several times as fast as a literal, and holds up less meanwhile. */
const tablesAsJson: Plugin = {
  name: 'tables as JSON',
  setup({ onLoad }) {
    onLoad({ filter: /\/bpeRanks\/o200k_base\.js$/ }, async ({ path }) => {
      const { default: table } = await import(path)
      return { contents: `export default JSON.parse(${JSON.stringify(JSON.stringify(table))})` }
    })
    onLoad({ filter: /\/cityMap\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')))
      return { contents: `module.exports = JSON.parse(${JSON.stringify(text)})`, loader: 'js' }
    })
  },
}

/**
 * Bundles a program into a folder: one file, and a chunk for each part that is only loaded on first use.
 *
 * @example
 * await bundle('src/main.ts', 'dist')
 * @param plugins for a build that differs from the one that ships
 * @returns what went where
 */
export async function bundle(entry: string, outdir: string, plugins: Plugin[] = []): Promise<Metafile> {
  // A chunk of an earlier build would go into the image with the new ones.
  await rm(outdir, { recursive: true, force: true })
  const { metafile } = await build({
    // Beside the chunks that start it.
    entryPoints: { [basename(entry, '.ts')]: entry, 'chunks/reader-thread': READER_THREAD },
    metafile: true,
    outdir,
    bundle: true,
    // V8 reads the whole of a file, even what it never runs: the tokenizer, mathjs and the model clients in one file with
    // the rest cost 55 MB of idle memory and nearly double the processor time of a start.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    // Names stay as they are: to keep those of minified functions, esbuild defines them anew whenever one is made.
    sourcemap: 'linked',
    sourcesContent: false,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    banner: { js: banner },
    plugins: [tablesAsJson, ...plugins],
    // Only for a terminal, and not in the container.
    external: ['pino-pretty'],
    // In a file beside each chunk, for the notices.
    legalComments: 'external',
    logLevel: 'warning',
  })
  return metafile
}

if (import.meta.main) {
  const from = await origin()
  await bundle('src/main.ts', 'dist', [billOfMaterials])
  await writeNotices('dist')
  await completeBillOfMaterials('dist', from)
  await writeFile('dist/origin.json', `${JSON.stringify(from, null, 2)}\n`)
  await setTimes('dist', from)
}
