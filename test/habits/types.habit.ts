import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compile } from '../support/compile.ts'
import { copyProject } from '../support/guide.ts'
import { copiesWith } from './copies.ts'
import { apply } from './edit.ts'
import * as edits from './edits.ts'

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
  await rm(join(folder, 'test/data/shipped'), { recursive: true })
  await apply(edits.ownSetting, folder)
  expect(await compile(folder, ['test'])).toBe('')
}, 300_000)
