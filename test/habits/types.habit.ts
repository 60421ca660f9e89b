import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compile } from '../support/compile.ts'
import { copiesWith } from './copies.ts'
import * as edits from './edits.ts'

test('the graph of the tests is the one that is shipped: npm run habits -- -u', async () => {
  const paths = await readdir('test/data/shipped', { recursive: true })
  for (const path of paths.filter(name => name.endsWith('.ts')))
    await expect(await readFile(path, 'utf8')).toMatchFileSnapshot(join('../data/shipped', path))
})

test('every edit compiles with the project, without casts', async () => {
  const root = await copiesWith(edits)
  onTestFinished(() => rm(root, { recursive: true }))
  const changed = Object.keys(edits).flatMap(name =>
    ['graph', 'src/studio.ts', 'tools/registry.ts'].map(path => `${name}/${path}`),
  )
  expect(await compile(root, changed)).toBe('')
}, 300_000)
