/** The dashboard's files, bundled from `pages/` once, when the platform starts. */
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { getMimeType } from 'hono/utils/mime'

/** Here, or in an installed package, which has its sources apart. */
const PAGES = ['../pages', '../sources/pages']
  .map(path => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync)!

export interface Page {
  readonly body: string
  /** Its `Content-Type`. */
  readonly type: string
}

/**
 * Everything the browser loads, by path. The page uses no other origin and needs no inline script or style.
 *
 * @throws {Error} if the sources do not build
 */
export async function buildPages(): Promise<ReadonlyMap<string, Page>> {
  const { outputFiles } = await build({
    absWorkingDir: PAGES,
    entryPoints: { dashboard: 'app.tsx', index: 'index.html', icon: 'icon.svg' },
    loader: { '.html': 'copy', '.svg': 'copy' },
    outdir: '.',
    write: false,
    bundle: true,
    // What only charts need comes after the page.
    splitting: true,
    // As in tsconfig.json, which the bundler does not read in an installed package.
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    format: 'esm',
    target: 'es2024',
    legalComments: 'none',
    logLevel: 'silent',
  })
  const pages = outputFiles.map(({ path, text: body }) => {
    const type = getMimeType(path)!
    return [`/${basename(path).replace('index.html', '')}`, { body, type }] as const
  })
  return new Map(pages)
}
