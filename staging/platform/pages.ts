/** The dashboard as the platform serves it: bundled from `staging/pages/`, once, when the platform starts. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { getMimeType } from 'hono/utils/mime'

export interface Page {
  readonly body: string | Uint8Array
  /** Its `Content-Type`. */
  readonly type: string
}

/**
 * Everything the browser loads, by path. The page asks nothing of any other origin, and needs no inline script or style.
 *
 * @throws {Error} where the sources do not build
 */
export async function buildPages(): Promise<ReadonlyMap<string, Page>> {
  const [html, icon, { outputFiles }] = await Promise.all([
    readFile(source('index.html'), 'utf8'),
    readFile(source('icon.svg'), 'utf8'),
    build({
      entryPoints: { dashboard: source('main.tsx') },
      outdir: source('.'),
      write: false,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2024',
      legalComments: 'none',
      logLevel: 'silent',
    }),
  ])
  const bundles = outputFiles.map(({ path, text }) => [`/${basename(path)}`, text] as const)
  const pages = [['/index.html', html], ['/icon.svg', icon], ...bundles] as const
  return new Map(
    pages.map(([path, body]) => [path.replace('index.html', ''), { body, type: getMimeType(path)! }]),
  )
}

function source(name: string): string {
  return fileURLToPath(new URL(`../pages/${name}`, import.meta.url))
}
