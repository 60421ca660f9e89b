import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apply, type Edit } from './edit.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROJECT = ['src', 'graph', 'tools', 'package.json', 'tsconfig.json']

/** A copy of the project for each edit, under one folder, which the caller removes. */
export async function copiesWith(edits: Readonly<Record<string, Edit>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'habits-'))
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  for (const [name, edit] of Object.entries(edits)) {
    const folder = join(root, name)
    await mkdir(folder)
    for (const path of PROJECT) await cp(join(ROOT, path), join(folder, path), { recursive: true })
    await apply(edit, folder)
  }
  return root
}

export async function removeCopies(root: string): Promise<void> {
  await rm(root, { recursive: true })
}
