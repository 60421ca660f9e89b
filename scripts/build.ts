/** Bundles the service into one file, `dist/main.js`, with its source map. */
import { build } from 'esbuild'

// CommonJS packages inside the bundle expect what an ES module does not have.
const banner = [
  "import { createRequire as __createRequire } from 'node:module'",
  "import { fileURLToPath as __fileURLToPath } from 'node:url'",
  "import { dirname as __pathDirname } from 'node:path'",
  'const require = __createRequire(import.meta.url)',
  'const __filename = __fileURLToPath(import.meta.url)',
  'const __dirname = __pathDirname(__filename)',
].join(';')

await build({
  entryPoints: ['src/main.ts'],
  outfile: 'dist/main.js',
  bundle: true,
  minify: true,
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  banner: { js: banner },
  // Only for a terminal, and not in the container.
  external: ['pino-pretty'],
  legalComments: 'none',
  logLevel: 'warning',
})
