import { rm } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { compile } from './compile.ts'
import { copiesWith } from './copies.ts'
import * as edits from './edits.ts'

// EVIDENCE-OF docs/guides/graph.md: `npm run test:world` runs every example, over HTTP and in Studio, with a model that obeys.
test('every edit compiles with the project, without casts', async () => {
  const root = await copiesWith(edits)
  onTestFinished(() => rm(root, { recursive: true }))
  const changed = Object.keys(edits).flatMap(name =>
    ['graph', 'src/studio.ts', 'tools/registry.ts'].map(path => `${name}/${path}`),
  )
  expect(await compile(root, changed)).toBe('')
}, 300_000)
