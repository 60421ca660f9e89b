import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { changes } from '../mutation/changes.ts'
import stryker from '../mutation/stryker.json' with { type: 'json' }
import { faced } from '../mutation/vitest.config.ts'

/** Each of a pattern's alternatives: `a/{b,c}.ts` is `a/b.ts` and `a/c.ts`. */
function alternativesIn(pattern: string): string[] {
  const innermost = /\{([^{}]*)\}/.exec(pattern)
  if (!innermost) return [pattern]
  const [braces, list = ''] = innermost
  return list.split(',').flatMap(each => alternativesIn(pattern.replace(braces, each)))
}

test('what is mutated, and the tests that mutants face, exist', () => {
  const patterns = [...stryker.mutate, ...faced].flatMap(alternativesIn)
  expect(patterns.filter(pattern => globSync(pattern).length === 0)).toEqual([])
  expect(patterns.length).toBeGreaterThan(15)
})

test.each(changes)('the change "$name" can be made once, and its tests exist', ({ file, text, seenBy }) => {
  expect(readFileSync(file, 'utf8').split(text)).toHaveLength(2)
  expect(globSync(seenBy)).toEqual([seenBy])
})
