import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { followGuide, readGraphGuides } from '@agent-task-service/test-support/guide'

/** A change to the project, as a LangGraph developer would make it. Paths are relative to the project's root. */
export interface Edit {
  /** A section of docs/guides/graph.md or agent-loops.md to follow first. */
  readonly guide?: string
  /** New files, or complete replacements. */
  readonly files?: Readonly<Record<string, string>>
  /** Changes to existing files: a line to put first, or a text and its replacement. */
  readonly changes?: Readonly<Record<string, readonly (string | readonly [from: string, to: string])[]>>
  /** What must be the same over HTTP and in Studio. */
  readonly tasks: readonly Task[]
}

/** How a run ends. */
export interface Ending {
  /** The answer. */
  readonly output?: string | RegExp
  /** The error, if there is no answer. */
  readonly error?: string
}

/** One run. The model follows its input: see `obedient-model.ts`. */
export interface Task extends Ending {
  readonly input: string
  readonly config?: {
    readonly system_prompt?: string
    readonly max_tokens?: number
    readonly enabled_tools?: readonly string[]
    /** Settings of one's own. */
    readonly [name: string]: unknown
  }
  /** Its end there, if different. */
  readonly studio?: Ending
  /** Absent: none. */
  readonly modelCalls?: number
  readonly toolCalls?: number
  /** Written with `config.writer`. */
  readonly custom?: readonly unknown[]
  /** Part of what the model reads. */
  readonly asked?: string
  /** Results of the tool calls, as watchers see them. */
  readonly toolEvents?: readonly {
    readonly tool: string
    readonly failed: boolean
    readonly result: unknown
  }[]
  /** Text that watchers see over HTTP. */
  readonly streamed?: string
  /** Why the run ended, in the log line; absent: `answer`. */
  readonly stop?: string
}

/** Makes the change in a copy of the project. */
export async function apply({ guide, files = {}, changes = {} }: Edit, folder: string): Promise<void> {
  const blocks = (await readGraphGuides()).filter(({ section }) => section === guide)
  if (guide !== undefined && blocks.length === 0) throw new Error(`expected code under "${guide}", got none`)
  await followGuide(blocks, folder)
  for (const [path, code] of Object.entries(files)) await writeFile(join(folder, path), code)
  for (const [path, steps] of Object.entries(changes)) {
    const file = join(folder, path)
    const code = steps.reduce((text: string, step) => changed(text, step, path), await readFile(file, 'utf8'))
    await writeFile(file, code)
  }
}

function changed(text: string, step: string | readonly [string, string], path: string): string {
  if (typeof step === 'string') return `${step}\n${text}`
  const [from, to] = step
  const [before, after, ...more] = text.split(from)
  if (before !== undefined && after !== undefined && more.length === 0) return `${before}${to}${after}`
  throw new Error(`${path}: expected ${JSON.stringify(from)} once`)
}
