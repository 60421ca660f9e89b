/** The dashboard's files, bundled from `pages/` once, when the platform starts. */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { getMimeType } from 'hono/utils/mime'

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
    absWorkingDir: fileURLToPath(new URL('../pages', import.meta.url)),
    entryPoints: { dashboard: 'app.tsx', index: 'index.html', icon: 'icon.svg' },
    loader: { '.html': 'copy', '.svg': 'copy' },
    outdir: '.',
    write: false,
    bundle: true,
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
