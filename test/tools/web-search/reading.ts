import { readdirSync, readFileSync } from 'node:fs'
import type { PageContent } from '../../../tools/web-search/fetch-page.ts'
import { inReader } from '../../../tools/web-search/reader.ts'
import { pdf } from '../../search/pdf.ts'

export const page = (type: string, body: string | Buffer): PageContent => ({
  type,
  charset: undefined,
  bytes: new Uint8Array(Buffer.from(body as string)),
})

/** Pages that mean no harm, the first two as long as any. */
export const honest = {
  html: page('text/html', '<h2>Foxes</h2><p>The quick brown fox jumps over the lazy dog.</p>'.repeat(30_000)),
  pdf: page('application/pdf', pdf('Long', Array(1_200).fill('word '.repeat(80)))),
  text: page('text/plain', 'still here'),
}

/** Has the reader read a page for a run. */
export async function read({ bytes, ...rest }: PageContent, run: object = {}): Promise<unknown> {
  const args = [{ ...rest, base64: Buffer.from(bytes).toString('base64') }] as const
  return await inReader(run, AbortSignal.timeout(60_000), { name: 'readPage', args })
}

/** The ids of a service's processes that read pages. */
export function readers(service = process.pid): number[] {
  return readdirSync('/proc').flatMap(name => {
    const own = () => /^(?!\/bin\/sh).*reader-main/.test(readFileSync(`/proc/${name}/cmdline`, 'utf8'))
    return /^\d+$/.test(name) && attempt(own) && ancestors(Number(name)).includes(service)
      ? [Number(name)]
      : []
  })
}

function ancestors(pid: number): number[] {
  const parent = Number(
    attempt(() => /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
  )
  return parent > 0 ? [parent, ...ancestors(parent)] : []
}

/** Watches the readers. `end` returns their highest resident memory meanwhile, in MB. */
export function watchReaders(): { end(): number } {
  let peak = 0
  const look = () => {
    for (const pid of readers()) {
      const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? ''
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1000)
    }
    return peak
  }
  const watch = setInterval(look, 20)
  return {
    end() {
      clearInterval(watch)
      return look()
    },
  }
}

/** `undefined` for a process that has just ended. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
