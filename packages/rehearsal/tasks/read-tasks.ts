import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Document, isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { type SampleTask, type TaskFile, taskFile } from './task.ts'

/** The tasks that ship with the rehearsal. */
export const SHIPPED_TASKS = fileURLToPath(new URL('tasks.yaml', import.meta.url))
/** More of them, for agents with a language model. */
export const LANGUAGE_TASKS = fileURLToPath(new URL('language.yaml', import.meta.url))

/** A task file is invalid, or a task cannot be kept in it; lists every problem, one per line. */
export class TaskFileError extends Error {
  override readonly name = 'TaskFileError'

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

/**
 * Reads files of tasks, YAML or JSON, as one.
 *
 * @throws TaskFileError with the problems of all
 */
export async function readTasks(...paths: readonly string[]): Promise<TaskFile> {
  const problems: string[] = []
  const tasks: SampleTask[] = []
  for (const path of paths) {
    try {
      tasks.push(...(await readFileOfTasks(path)).tasks)
    } catch (error) {
      if (!(error instanceof TaskFileError)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length > 0) throw new TaskFileError(problems)
  return { tasks }
}

async function readFileOfTasks(path: string): Promise<TaskFile> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new TaskFileError([`${path}: expected a readable file, got ${code}`])
  }
  return parseTasks(text, basename(path))
}

/**
 * Reads the text of a file of tasks. JSON is YAML.
 *
 * @param name of the file, for messages
 * @throws TaskFileError
 */
export function parseTasks(text: string, name: string): TaskFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const placeOf = (offset = 0) => `${name}:${lines.linePos(offset).line}`
  if (document.errors.length > 0) {
    throw new TaskFileError(document.errors.map(({ message, pos }) => `${placeOf(pos[0])}: ${message}`))
  }
  const parsed = taskFile.safeParse(contentOf(document, name))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => {
    const task = document.getIn(path.slice(0, 2), true)
    const place = placeOf(isNode(task) ? task.range?.[0] : 0)
    return [place, z.core.toDotPath(path), message].filter(Boolean).join(': ')
  })
  throw new TaskFileError(problems)
}

/** @throws TaskFileError for undefined aliases, and for aliases that expand without bound */
function contentOf(document: Document, name: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw new TaskFileError([`${name}: ${error instanceof Error ? error.message : 'cannot be read'}`])
  }
}
