import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../staging/command-line.ts'
import type { Task } from '../staging/tasks/task.ts'

/** What a scorer receives. */
export interface Scored {
  readonly task: Task
  /** As received. */
  readonly reply: { readonly status?: unknown; readonly output?: unknown; readonly error?: unknown }
}

/** A judgement of one's own. Returns what is wrong with the answer, one sentence each; empty if it is right. */
export type Scorer = (scored: Scored) => readonly string[] | Promise<readonly string[]>

/**
 * Loads a scorer: the default export of a file in TypeScript or JavaScript.
 *
 * @throws {UsageError} if there is none
 */
export async function loadScorer(path: string): Promise<Scorer> {
  const wrong = (got: string) =>
    new UsageError([
      `--score: expected a file whose default export is a function, got ${JSON.stringify(path)}${got}`,
    ])
  const module = await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    throw wrong(`: ${(error as Error).message}`)
  })
  if (typeof module.default !== 'function') throw wrong('')
  return module.default
}
