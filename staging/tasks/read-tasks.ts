import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Document, isNode, LineCounter, type Node, parseDocument } from 'yaml'
import type { z } from 'zod'
import { type TaskFile, taskFile } from './task.ts'

/** A task file is invalid; lists every problem, one per line. */
export class TaskFileError extends Error {
  override readonly name = 'TaskFileError'

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

/**
 * Reads a file of tasks, YAML or JSON.
 *
 * @throws TaskFileError
 */
export async function readTasks(path: string): Promise<TaskFile> {
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
  const lineOf = (offset: number | undefined) =>
    offset === undefined ? '' : `:${lines.linePos(offset).line}`
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => `${name}${lineOf(pos[0])}: ${message}`)
    throw new TaskFileError(problems)
  }
  const content = contentOf(document, name)
  const read = taskFile.safeParse(content)
  if (read.success) return read.data
  const problems = read.error.issues.flatMap(innermost).map(({ path, message }) => {
    const node = nearestNode(path, steps => document.getIn(steps, true))
    return `${name}${lineOf(node?.range?.[0])}: ${placeOf(path, content)}${message}`
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

interface Problem {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The issues of the union branch that was probably meant: the one that fits best. */
function innermost(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const message = `unknown member ${issue.keys.map(key => JSON.stringify(key)).join(', ')}`
    return [{ path: issue.path, message }]
  }
  if (issue.code !== 'invalid_union') return [issue]
  const branches = issue.errors.map(errors => errors.flatMap(innermost))
  const meant = branches
    .filter(problems => problems.every(({ path }) => path.length > 0))
    .sort((a, b) => a.length - b.length)[0]
  if (meant === undefined) return [issue]
  return meant.map(({ path, message }) => ({ path: [...issue.path, ...path], message }))
}

/** The node at a path, or its nearest existing ancestor. */
function nearestNode(path: readonly PropertyKey[], get: (steps: PropertyKey[]) => unknown): Node | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = get(path.slice(0, length))
    if (isNode(node)) return node
  }
  return undefined
}

/** `task 3 ("percent"), expect.number.value: `, tasks counted from 1. */
function placeOf([root, index, ...rest]: readonly PropertyKey[], content: unknown): string {
  if (root === undefined) return ''
  if (typeof index !== 'number') return `${String(root)}: `
  const { tasks } = content as { tasks: readonly unknown[] }
  const { name } = (tasks[index] ?? {}) as { name?: unknown }
  const called = typeof name === 'string' ? ` (${JSON.stringify(name)})` : ''
  const field = rest.length > 0 ? `, ${rest.join('.')}` : ''
  return `task ${index + 1}${called}${field}: `
}
