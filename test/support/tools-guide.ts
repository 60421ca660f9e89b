import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** What the agent is made of, and what its tests and checks start it with. */
const PROJECT = [
  'src',
  'graph',
  'tools',
  'test/support',
  'package.json',
  'tsconfig.json',
  'biome.json',
  'langgraph.json',
]

/** A block of code in docs/tools.md that belongs into a file. */
export interface GuideBlock {
  /** From the project's root. */
  readonly path: string
  readonly code: string
}

/** The blocks of docs/tools.md that follow the name of a file in bold, in order. */
export async function readToolsGuide(): Promise<GuideBlock[]> {
  const page = await readFile(join(ROOT, 'docs/tools.md'), 'utf8')
  const blocks = page.matchAll(/\*\*`([^`]+)`\*\*[^\n]*\n\n( *)```\w+\n([\s\S]*?)\n *```\n/g)
  return [...blocks].map(([, path = '', indent = '', code = '']) => {
    return { path, code: `${code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')}\n` }
  })
}

/**
 * A copy of the project in which docs/tools.md has been followed. The caller removes it.
 *
 * @param adapt changes a block before it is written, such as a port that is taken
 * @returns its folder
 */
export async function projectByToolsGuide(
  adapt: (code: string) => string = code => code,
): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tools-guide-'))
  for (const path of PROJECT) await cp(join(ROOT, path), join(folder, path), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const { path, code } of await readToolsGuide()) {
    // A line for a file that is there is added to it; any other block is the whole of a file.
    const flag = path === 'tools/registry.ts' ? 'a' : 'wx'
    await writeFile(join(folder, path), adapt(code), { flag })
  }
  return { folder, remove: () => rm(folder, { recursive: true }) }
}
