import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('docs/README.md names each page once', () => {
  const pages = globSync('{,guides/,reference/,decisions/}*.md', { cwd: 'docs', exclude: ['README.md'] })
  const named = [...readFileSync('docs/README.md', 'utf8').matchAll(/\]\(([\w/-]+\.md)\)/g)].map(
    ([, path]) => path,
  )
  expect(named.sort()).toEqual(pages.sort())
})
