/** Run as a script: bundles the service into `dist/`. */
import { readFile, rm } from 'node:fs/promises'
import type { cityMapping } from 'city-timezones'
import { build, type Metafile, type Plugin } from 'esbuild'
import type { City } from '../tools/time/places.ts'

// CommonJS packages inside the bundle expect what an ES module does not have.
const banner = [
  "import { createRequire as __createRequire } from 'node:module'",
  "import { fileURLToPath as __fileURLToPath } from 'node:url'",
  "import { dirname as __pathDirname } from 'node:path'",
  'const require = __createRequire(import.meta.url)',
  'const __filename = __fileURLToPath(import.meta.url)',
  'const __dirname = __pathDirname(__filename)',
].join(';')

/** zod brings its messages in some fifty languages; the service speaks one. 3 MB less of idle memory. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    const contents = "export { default as en } from './en.js'"
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents }))
  },
}

/** The time tool needs no coordinates. V8 reads JSON text faster, and in less memory, than a literal. */
const leanCities: Plugin = {
  name: 'lean-cities',
  setup({ onLoad }) {
    type Unused = Exclude<keyof (typeof cityMapping)[number], keyof City>
    const unused: ReadonlySet<string> = new Set<Unused>([
      'lat',
      'lng',
      'city_ascii',
      'iso3',
      'exactCity',
      'exactProvince',
    ])
    onLoad({ filter: /[\\/]city-timezones[\\/]data[\\/]cityMap\.json$/ }, async ({ path }) => {
      const cities = JSON.parse(await readFile(path, 'utf8'), (key, value) =>
        unused.has(key) ? undefined : value,
      )
      return { contents: `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(cities))})` }
    })
  },
}

/** What changes packages on their way into the bundle. */
export const SHIPPED: readonly Plugin[] = [oneLanguage, leanCities]

/**
 * Bundles a program into a folder: one file, and a chunk for each part that is only loaded on first use.
 *
 * @param plugins for a build that differs from the one that ships: instead of SHIPPED
 * @returns what went where
 */
export async function bundle(
  entry: string,
  outdir: string,
  plugins: readonly Plugin[] = SHIPPED,
): Promise<Metafile> {
  // A chunk of an earlier build would go into the image with the new ones.
  await rm(outdir, { recursive: true, force: true })
  const { metafile } = await build({
    entryPoints: [entry],
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
    plugins: [...plugins],
    // Only for a terminal, and not in the container.
    external: ['pino-pretty'],
    legalComments: 'none',
    logLevel: 'warning',
  })
  return metafile
}

if (import.meta.main) await bundle('src/main.ts', 'dist')
