/** The dashboard as the platform serves it: bundled from `staging/pages/`, once, when the platform starts. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export interface Page {
  readonly body: string | Uint8Array
  /** Its `Content-Type`. */
  readonly type: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
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
  const bundles = outputFiles.map(({ path, text }) => {
    const type = extname(path)
    return [`/dashboard${type}`, page(type, text)] as const
  })
  return new Map([['/', page('.html', html)], ['/icon.svg', page('.svg', icon)], ...bundles])
}

function page(extension: string, body: string): Page {
  return { body, type: TYPES[extension]! }
}

function source(name: string): string {
  return fileURLToPath(new URL(`../pages/${name}`, import.meta.url))
}
