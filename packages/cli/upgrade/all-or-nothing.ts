import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '@agent-task-service/rehearsal/command-line'

/** Files' contents in base64, by path; `null` where there is none. */
export type Contents = Readonly<Record<string, string | null>>

/** What a file is written to before it gets its name: none is ever half written. */
const UNNAMED = '.agent-upgrade.tmp'
/** From a terminal they reach npm too, which ends then. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Gives files other contents, in their order, and finishes that; if either throws, they get back what they had, in the reverse order. It
 * goes on at a signal, so that it is never half done; only a kill stops it, between two files.
 *
 * @throws {StartError} for a path where something else than a file is
 */
export function allOrNothing(after: Contents, finish: () => void): void {
  const paths = Object.keys(after).reverse()
  const before = Object.fromEntries(paths.map(path => [path, contentOf(path)]))
  const goOn = () => {}
  for (const signal of SIGNALS) process.on(signal, goOn)
  try {
    change(after)
    finish()
  } catch (error) {
    change(before)
    throw error
  } finally {
    for (const signal of SIGNALS) process.off(signal, goOn)
  }
}

/** Leaves those alone that have their content. */
function change(contents: Contents): void {
  // Of a change that failed or was killed.
  rmSync(UNNAMED, { force: true })
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
  const { mode } = lstatSync(path, { throwIfNoEntry: false }) ?? { mode: 0o666 }
  writeFileSync(UNNAMED, content, { encoding: 'base64', mode })
  renameSync(UNNAMED, path)
}
