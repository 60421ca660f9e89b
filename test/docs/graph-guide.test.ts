import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Edit } from '../habits/edit.ts'
import * as edits from '../habits/edits.ts'
import { copyProject, followGuide, readGuide } from '../support/guide.ts'

const sections = Map.groupBy(await readGuide('graph.md'), ({ section }) => section)
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'graph-guide-'))
})
afterAll(() => rm(root, { recursive: true }))

test.each([...sections])('%s: its changes fit the graph as shipped', async (_section, blocks) => {
  const folder = await mkdtemp(join(root, 'copy-'))
  await copyProject(folder, ['graph', 'src', 'tools'])
  await followGuide(blocks, folder)
})

test('`npm run habits` runs every section with code', () => {
  const tried = Object.values<Edit>(edits).flatMap(({ guide = [] }) => guide)
  expect(new Set(tried)).toEqual(new Set(sections.keys()))
})

test('every edit stays within what its owner keeps when a later version replaces the rest', () => {
  const touched = Object.values<Edit>(edits).flatMap(({ guide = '', files = {}, changes = {} }) => [
    ...(sections.get(guide) ?? []).map(({ path }) => path),
    ...Object.keys(files),
    ...Object.keys(changes),
  ])
  expect(touched.filter(path => !/^(?:graph|tools|src)\//.test(path))).toEqual([])
})
