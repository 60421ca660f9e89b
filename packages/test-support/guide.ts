import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Of the project's own packages. */
const SCOPE = '@agent-task-service'

/** A code block in a guide that belongs in a file. */
interface GuideBlock {
  /** The heading above it. */
  readonly section: string
  /** Relative to the project root. */
  readonly path: string
  /** The whole file, or a diff. */
  readonly kind: 'file' | 'change'
  readonly code: string
}

/** The code blocks of a page in docs/guides/ that follow a file name in bold, in order. */
export async function readGuide(page: string): Promise<GuideBlock[]> {
  const text = await readFile(join(ROOT, 'docs/guides', page), 'utf8')
  return text.split(/^## /m).flatMap(part => {
    const section = part.slice(0, part.indexOf('\n'))
    const found = part.matchAll(/\*\*`([^`]+)`\*\*[^\n]*\n\n( *)```(\w+)\n([\s\S]*?)\n *```\n/g)
    return [...found].map(([, path = '', indent = '', language, code = '']): GuideBlock => {
      const kind = language === 'diff' ? 'change' : 'file'
      return { section, path, kind, code: `${code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')}\n` }
    })
  })
}

/** @throws if the page has no such section, or one without code */
export async function readSection(page: string, section: string): Promise<GuideBlock[]> {
  const blocks = (await readGuide(page)).filter(block => block.section === section)
  if (blocks.length === 0) throw new Error(`docs/guides/${page}: expected code under "${section}", got none`)
  return blocks
}

/** The code blocks of the pages on changing the graph. */
export async function readGraphGuides(): Promise<GuideBlock[]> {
  return [...(await readGuide('graph.md')), ...(await readGuide('agent-loops.md'))]
}

/** Copies the given project paths into a folder, and links what is installed; packages that are copied are the copy's own. */
export async function copyProject(folder: string, paths: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const path of paths) await cp(join(ROOT, path), join(folder, path), { recursive: true })
  const [from, to] = [ROOT, folder].map(root => join(root, 'node_modules')) as [string, string]
  if (!paths.includes('packages')) return await symlink(from, to)
  await mkdir(join(to, SCOPE), { recursive: true })
  const installed = (await readdir(from)).filter(name => ![SCOPE, '.cache'].includes(name))
  for (const name of installed) await symlink(join(from, name), join(to, name))
  for (const name of await readdir(join(from, SCOPE)))
    await symlink(join(folder, 'packages', name), join(to, SCOPE, name))
}

/**
 * Follows a guide in a copy of the project. Leaves existing results alone: the guide may already have been followed in
 * the project itself.
 */
export async function followGuide(blocks: readonly GuideBlock[], folder: string): Promise<void> {
  for (const { path, kind, code } of blocks) {
    const file = join(folder, path)
    if (kind === 'change') await writeFile(file, changed(await readFile(file, 'utf8'), code, path))
    else if (path === 'tools/registry.ts')
      await writeFile(file, withLines(await readFile(file, 'utf8'), code))
    else {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, code)
    }
  }
}

function withLines(text: string, added: string): string {
  return text.includes(added) ? text : `${text}${added}`
}

/** Applies a diff: removes lines with `-`, adds lines with `+`. A blank line stands for omitted lines. */
function changed(text: string, diff: string, path: string): string {
  const parts = diff.trimEnd().split('\n\n')
  const done = parts.reduce((before, part) => {
    const without = (sign: string) => {
      const lines = part.split('\n').filter(line => !line.startsWith(sign))
      return ['', ...lines.map(line => line.slice(1)), ''].join('\n')
    }
    const [from, to] = [without('+'), without('-')]
    const isMade = before.includes(to) && (to.includes(from) || !before.includes(from))
    if (isMade) return before
    const [head, tail, ...more] = before.split(from)
    if (head !== undefined && tail !== undefined && more.length === 0) return `${head}${to}${tail}`
    throw new Error(`${path}: expected these lines once:${from}`)
  }, `\n${text}`)
  return done.slice(1)
}
