import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '@agent-task-service/rehearsal/command-line'
import { z } from 'zod'

/** Files' contents in base64, by path; `null` where there is none. */
export type Contents = Readonly<Record<string, string | null>>

/** There while files change, and after a change that was killed. */
const JOURNAL = '.agent-upgrade.json'
/** What a file is written to before it gets its name: none is ever half written. */
const UNNAMED = '.agent-upgrade.tmp'
/** From a terminal they reach npm too, which ends then. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

// Whoever else has written one must not reach other files by it.
const path = z.string().regex(/^(?:package(?:-lock)?\.json|packages\/[^/]+\.tgz)$/)
const contents = z.record(path, z.string().nullable())
const journal = z.object({ pid: z.int().positive(), before: contents, after: contents })

/**
 * Gives files other contents, in their order, and finishes that; if either throws, they are as before. It goes on at a signal, so that it
 * is never half done; what a kill leaves, `undoKilled` puts right.
 *
 * @throws {StartError} for a path where something else than a file is
 */
export function allOrNothing(after: Contents, finish: () => void): void {
  const before = Object.fromEntries(Object.keys(after).map(path => [path, contentOf(path)]))
  const goOn = () => {}
  for (const signal of SIGNALS) process.on(signal, goOn)
  try {
    replace(JOURNAL, Buffer.from(JSON.stringify({ pid: process.pid, before, after })).toString('base64'))
    change(after)
    finish()
  } catch (error) {
    change(before)
    end()
    throw error
  } finally {
    for (const signal of SIGNALS) process.off(signal, goOn)
  }
  end()
}

/**
 * Puts files back that a killed change has left. If any of them has changed since, somebody went on from there: all stay.
 *
 * @throws {StartError} if the change still goes on
 */
export function undoKilled(): void {
  const text = contentOf(JOURNAL)
  if (text !== null) {
    const { pid, before, after } = readJournal(Buffer.from(text, 'base64').toString())
    if (isRunning(pid))
      throw new StartError(`expected no other upgrade of this agent, got one that runs: process ${pid}`)
    const isAsLeft = Object.keys(after).every(path => [before[path], after[path]].includes(contentOf(path)))
    if (isAsLeft) change(before)
    const state = isAsLeft ? 'are as before it' : 'have changed since, and stay'
    process.stderr.write(`an upgrade was killed: package.json, package-lock.json and packages/ ${state}\n`)
  }
  end()
}

function readJournal(text: string): z.infer<typeof journal> {
  try {
    return journal.parse(JSON.parse(text))
  } catch {
    throw new StartError(`${JOURNAL}: expected what a killed upgrade leaves, got something else: delete it`)
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    // Others' processes may not be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Leaves those alone that have their content. */
function change(contents: Contents): void {
  for (const [path, content] of Object.entries(contents))
    if (content === contentOf(path)) continue
    else if (content === null) rmSync(path)
    else replace(path, content)
}

function contentOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return null
  if (found.isFile()) return readFileSync(path, 'base64')
  throw new StartError(`expected a file or none, got a ${found.isDirectory() ? 'folder' : 'link'}: ${path}`)
}

function replace(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  // What only its owner may read, only they may read afterwards.
  const { mode } = lstatSync(path, { throwIfNoEntry: false }) ?? { mode: path === JOURNAL ? 0o600 : 0o666 }
  writeFileSync(UNNAMED, content, { encoding: 'base64', mode })
  renameSync(UNNAMED, path)
}

function end(): void {
  for (const path of [UNNAMED, JOURNAL]) rmSync(path, { force: true })
}
