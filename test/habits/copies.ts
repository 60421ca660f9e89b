import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyProject } from '@agent-task-service/test-support/guide'
import { apply, type Edit } from './edit.ts'

/** A copy of the project for each edit, by its name, in one folder that the caller removes. */
export async function copiesWith(edits: Readonly<Record<string, Edit>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'habits (#%41)-'))
  for (const [name, edit] of Object.entries(edits)) {
    await copyProject(join(root, name), ['src', 'graph', 'tools', 'package.json'])
    await apply(edit, join(root, name))
  }
  return root
}
