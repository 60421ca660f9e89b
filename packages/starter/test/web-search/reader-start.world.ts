import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { until } from '@agent-task-service/test-support/until'
import {
  honest,
  isAlive,
  page,
  read,
  readers,
  shellsAbove,
} from '@agent-task-service/test-support/web/reading'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { ReaderShell, readerShell, readerState } from '../../web-search/reader-process.ts'
import { hostilePages } from './hostile-pages.ts'

const START_LIMIT_MS = 20_000
const RETRY_MS = 30_000
const IDLE_MS = 60_000
const READ = { passages: [{ text: 'still here' }] }

afterEach(() => void vi.useRealTimers())

function noted() {
  const changes: (string | undefined)[] = []
  const note = (trouble: string | undefined) => void changes.push(trouble)
  readerState.on('change', note)
  onTestFinished(() => void readerState.off('change', note))
  return changes
}

test('a reader that is killed in the middle of a page is replaced', async () => {
  await read(honest.text)
  const halfway = read(page(...hostilePages['PDF bomb of run lengths']!()))
  process.kill(readerShell().pid!, 'SIGKILL')
  await expect(halfway).rejects.toThrow('the reader ended')
  expect(await read(honest.text)).toMatchObject(READ)
})

test('a reader that hangs while it starts: one report, no further start for a while, then another try', async () => {
  const changes = noted()
  await read(honest.text)
  readerShell().end()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const before = readerShell().pid
  const reading = read(honest.text)
  const failed = expect(reading).rejects.toThrow('the reader ended')
  await vi.waitUntil(() => readerShell().pid !== before && readerShell().pid !== undefined)
  process.kill(readerShell().pid!, 'SIGSTOP')
  vi.advanceTimersByTime(START_LIMIT_MS)
  await failed
  await expect(read(honest.text)).rejects.toThrow('no reader could be started')
  expect(changes).toEqual(['the reader ended'])
  vi.advanceTimersByTime(RETRY_MS)
  expect(await read(honest.text)).toMatchObject(READ)
  expect(changes).toEqual(['the reader ended', undefined])
})

// EVIDENCE-OF docs/guides/deployment.md: the process that reads web pages: up to 140 MB while searches go on, 160 MB for the
//   longest pages, at most 100 MB more for a hostile page, nothing after an idle minute
test('a reader that is idle for a minute ends, and leaves no process; the next page has another', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  await read(honest.text)
  await new Promise(resolve => setImmediate(resolve))
  vi.advanceTimersByTime(IDLE_MS - 1)
  expect(readerShell().isRunning).toBe(true)
  expect(readers()).not.toEqual([])
  vi.advanceTimersByTime(1)
  expect(readerShell().isRunning).toBe(false)
  await until(() => readers().length === 0)
  expect(await read(honest.text)).toMatchObject(READ)
})

test('a reader that ends while it starts is started once more, before anyone is told', async () => {
  const changes = noted()
  await read(honest.text)
  readerShell().end()
  const before = readerShell().pid
  const reading = read(honest.text)
  await until(() => readerShell().pid !== before && readerShell().pid !== undefined)
  process.kill(readerShell().pid!, 'SIGKILL')
  expect(await reading).toMatchObject(READ)
  expect(changes).toEqual([])
})

test('measuring that hangs is ended, and done again', async () => {
  const shell = new ReaderShell(() => {})
  const started = shell.start()
  started.catch(() => {})
  await until(() => shell.pid !== undefined)
  process.kill(shell.pid!, 'SIGSTOP')
  shell.end()
  await expect(started).rejects.toThrow('the reader ended')
  await shell.start()
  expect(shell.isRunning).toBe(true)
  shell.end()
})

test('a reader that cannot start: the report has the last line of what it wrote', async () => {
  const shell = withNode('/nowhere/node', () => new ReaderShell(() => {}))
  await expect(shell.start()).rejects.toThrow(/^the reader ended: .*\/nowhere\/node: not found$/)
})

function withNode<T>(path: string, act: () => T): T {
  const { execPath } = process
  process.execPath = path
  try {
    return act()
  } finally {
    process.execPath = execPath
  }
}

test('measuring whose reply comes together with all that the shell says', async () => {
  const shell = new ReaderShell(() => {})
  const started = shell.start()
  await Promise.resolve()
  // As on a busy machine: what arrives meanwhile is read at once.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  await started
  expect(shell.isRunning).toBe(true)
  shell.end()
})

test.each([
  ['waits for a reader', 0],
  ['starts readers', 1],
  ['keeps the other', 2],
])('the shell that %s is killed: the next page is read', async (_what, at) => {
  await read(honest.text)
  const killed = shellsAbove(readerShell().pid!)[at]!
  process.kill(killed, 'SIGKILL')
  await until(() => !isAlive(killed))
  readerShell().end()
  expect(await read(honest.text)).toMatchObject(READ)
})

test('all shells are killed: the next page has others', async () => {
  await read(honest.text)
  const shell = readerShell()
  for (const pid of [...shellsAbove(shell.pid!), shell.pid!]) process.kill(pid, 'SIGKILL')
  await until(() => readerShell() !== shell)
  expect(await read(honest.text)).toMatchObject(READ)
})

test('all shells of a reader that is stopped are killed: nothing is left, and the next page has another', async () => {
  await read(honest.text)
  const shell = readerShell()
  const { pid } = shell
  process.kill(pid!, 'SIGSTOP')
  for (const above of shellsAbove(pid!).reverse()) process.kill(above, 'SIGKILL')
  await expect(read(honest.text)).rejects.toThrow()
  await until(() => !isAlive(pid!) && readerShell() !== shell)
  expect(await read(honest.text)).toMatchObject(READ)
})

test.each(['measuring', 'a reader'])('%s that hangs does not outlive the service', async what => {
  const module = JSON.stringify(new URL('../../web-search/reader-process.ts', import.meta.url).href)
  const program = `
    const { ReaderShell } = await import(${module})
    const shell = new ReaderShell(() => {})
    setInterval(() => {}, 1_000)
    const started = shell.start().catch(() => shell.start())
    ${what === 'measuring' ? '' : 'await started'}
    while (!shell.pid) await new Promise(setImmediate)
    process.kill(shell.pid, 'SIGSTOP')
    console.log(shell.pid)`
  const service = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = await new Promise<number>(resolve => service.stdout.once('data', data => resolve(Number(data))))
  const group = pidsOfGroup(pid)
  expect(group.length).toBeGreaterThan(1)
  service.kill('SIGKILL')
  await until(() => !group.some(isAlive))
})

/** All processes of the group that `pid` belongs to. */
function pidsOfGroup(pid: number): number[] {
  const groupOf = (id: string | number) => {
    try {
      return /^\d+ \(.*\) \S \d+ (\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))?.[1]
    } catch {
      return undefined
    }
  }
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && groupOf(name) === groupOf(pid))
    .map(Number)
}
