import { mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from '@agent-task-service/test-support/compile'
import { copyProject } from '@agent-task-service/test-support/guide'
import { expect, onTestFinished, test } from 'vitest'
import { copiesWith } from './copies.ts'
import { apply } from './edit.ts'
import * as edits from './edits.ts'

const SCOPE = '@agent-task-service'

test('every edit compiles with the project, without casts', async () => {
  const root = await copiesWith(edits)
  onTestFinished(() => rm(root, { recursive: true }))
  const changed = Object.keys(edits).flatMap(name =>
    ['graph', 'src/studio.ts', 'tools/registry.ts'].map(path => `${name}/${path}`),
  )
  expect(await compile(root, changed)).toBe('')
}, 300_000)

test("the service's own tests compile beside a setting with a default", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'habits-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const parts = [
    'src',
    'graph',
    'tools',
    'test',
    'packages',
    'evaluation',
    'scripts',
    'bench',
    'package.json',
    'vitest.config.ts',
  ]
  await copyProject(folder, parts)
  await useItsPackages(folder)
  await apply(edits.ownSetting, folder)
  expect(await compile(folder, ['test'])).toBe('')
}, 300_000)

/** Links what is installed one by one, so that the copy's packages can take the place of the original's. */
async function useItsPackages(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules')
  const original = await realpath(installed)
  await rm(installed)
  await mkdir(join(installed, SCOPE), { recursive: true })
  for (const name of await readdir(original))
    if (name !== SCOPE) await symlink(join(original, name), join(installed, name))
  for (const name of await readdir(join(folder, 'packages')))
    await symlink(join(folder, 'packages', name), join(installed, SCOPE, name))
}
