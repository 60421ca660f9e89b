import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { inReader } from '../../starter/web-search/reader.ts'
import { pdf } from './pdf.ts'

export const page = (type: string, body: string | Buffer) => ({
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
export async function read({ bytes, ...rest }: ReturnType<typeof page>, run: object = {}): Promise<unknown> {
  const args = [{ ...rest, base64: Buffer.from(bytes).toString('base64') }] as const
  return await inReader(run, AbortSignal.timeout(60_000), { name: 'readPage', args })
}

/** Waits until the reader runs and has loaded its code: on a busy machine, a search may not have the time for it. */
export async function readerReady(): Promise<void> {
  const warmUp = async () => {
    await read(honest.text)
    await inReader({}, AbortSignal.timeout(60_000), { name: 'choose', args: ['', [], '', 100] })
  }
  // A reader that could not start is tried again after 30 s. The hook's own limit ends this.
  for (let isReady = false; !isReady; ) {
    isReady = await warmUp().then(
      () => true,
      () => false,
    )
    if (!isReady) await sleep(1_000)
  }
}

/** The ids of a service's processes that read pages. None while the last one has been ended and no page was read since. */
export function readers(service = process.pid): number[] {
  return processes(/^(?!\/bin\/sh).*reader-main/).filter(pid => ancestors(pid).includes(service))
}

/** The shells above a reader: the one that waits for it, the one that starts readers, and the one that keeps that. */
export function shellsAbove(reader: number): number[] {
  const shells = processes(/^\/bin\/sh.*reader-main/s)
  return ancestors(reader).filter(pid => shells.includes(pid))
}

/** Whether a process still does something. */
export function isAlive(pid: number): boolean {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return stat !== undefined && !/^\d+ \(.*\) Z/.test(stat)
}

function processes(command: RegExp): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(name => command.test(attempt(() => readFileSync(`/proc/${name}/cmdline`, 'utf8')) ?? ''))
    .map(Number)
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
