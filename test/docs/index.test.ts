import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('docs/README.md names each page of the shelves once', () => {
  // Beside the shelves are pages of the agent, and its owner's.
  const pages = globSync('{guides,reference,decisions}/*.md', { cwd: 'docs' })
  const named = [...readFileSync('docs/README.md', 'utf8').matchAll(/\]\((\w+\/[\w-]+\.md)\)/g)].map(
    ([, path]) => path,
  )
  expect(named.sort()).toEqual(pages.sort())
})
