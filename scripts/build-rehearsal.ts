/**
 * Bundles the acceptance checks into a folder, `agent-rehearsal/` by default: one program, which needs no package, the files
 * that it reads, and a page about it.
 */
import { copyFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { billOfMaterials } from '../packages/cli/build/bill-of-materials.ts'
import { writeNotices } from '../packages/cli/build/third-party-notices.ts'

const REHEARSAL = 'packages/rehearsal'
/** What the program reads, next to it. */
const DATA = ['tasks/tasks.yaml', 'checks/sentences.yaml', 'checks/parts/erroneous-requests.yaml']

const [outdir = 'agent-rehearsal', ...more] = process.argv.slice(2)
if (outdir.startsWith('-') || more.length > 0) {
  process.stderr.write('npm run build:rehearsal -- [FOLDER]\n')
  process.exit(64)
}
await rm(outdir, { recursive: true, force: true })
await build({
  entryPoints: { 'agent-rehearsal': `${REHEARSAL}/check.ts` },
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  // Users of other languages may have an older one than this project.
  target: 'node22.18',
  // CommonJS packages in the bundle expect it.
  banner: {
    js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
  },
  plugins: [billOfMaterials],
  metafile: true,
  legalComments: 'external',
  logLevel: 'warning',
})
for (const file of DATA) await copyFile(join(REHEARSAL, file), join(outdir, basename(file)))
await copyFile('scripts/agent-rehearsal.md', join(outdir, 'README.md'))
await writeNotices(outdir)
// The notices are made of it.
await rm(join(outdir, 'sbom.json'))
