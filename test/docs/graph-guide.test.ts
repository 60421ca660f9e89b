import { readGraphGuides } from '@agent-task-service/test-support/guide'
import { expect, test } from 'vitest'
import type { Edit } from '../habits/edit.ts'
import * as edits from '../habits/edits.ts'

const sections = Map.groupBy(await readGraphGuides(), ({ section }) => section)
// EVIDENCE-OF docs/guides/graph.md: `npm run test:world` runs every example, over HTTP and in Studio, with a model that obeys.
test('`npm run test:world` runs every section with code', () => {
  const tried = Object.values<Edit>(edits).flatMap(({ guide = [] }) => guide)
  expect(new Set(tried)).toEqual(new Set(sections.keys()))
})

// EVIDENCE-OF README.md: `graph/`, `tools/` and `src/` are their owner's, some 350 lines.
// EVIDENCE-OF docs/guides/graph.md: The rest is the engine, which a later version replaces; you import it by its doors.
test('every edit stays within what its owner keeps when a later version replaces the rest', () => {
  const touched = Object.values<Edit>(edits).flatMap(({ guide = '', files = {}, changes = {} }) => [
    ...(sections.get(guide) ?? []).map(({ path }) => path),
    ...Object.keys(files),
    ...Object.keys(changes),
  ])
  expect(touched.filter(path => !/^(?:graph|tools|src)\//.test(path))).toEqual([])
})
