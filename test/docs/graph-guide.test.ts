import { readGuide } from '@agent-task-service/test-support/guide'
import { expect, test } from 'vitest'
import type { Edit } from '../habits/edit.ts'
import * as edits from '../habits/edits.ts'

const sections = Map.groupBy(await readGuide('graph.md'), ({ section }) => section)
test('`npm run test:world` runs every section with code', () => {
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
