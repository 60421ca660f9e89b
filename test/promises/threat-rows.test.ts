import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { threatModel } from './threat-model.ts'

const rows = readFileSync('docs/threat-model.md', 'utf8').matchAll(/^\| [^-].*$/gm)
const threats = [...rows].slice(1).map(([row]) => [row.split(' | ')[1]!, row] as const)

test.each(threats)('the tests that the row names are in the index: %s', (threat, row) => {
  const named = [...row.matchAll(/`(test\/[^`*]+)`/g)].map(([, path = '']) => path)
  const indexed = threatModel[threat] ?? []
  expect(named.filter(path => !indexed.some(proof => proof.startsWith(path)))).toEqual([])
  expect(indexed).not.toEqual([])
})
