import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { configuration } from './configuration.ts'
import { deployment } from './deployment.ts'
import { errors } from './errors.ts'
import { graph } from './graph.ts'
import { type Proofs, promisesOf } from './promises-of.ts'
import { readme } from './readme.ts'
import { threatModel } from './threat-model.ts'
import { tools } from './tools.ts'

const pages: readonly (readonly [page: string, proofs: Proofs, tables?: boolean])[] = [
  ['README.md', readme],
  ['docs/errors.md', errors, true],
  ['docs/configuration.md', configuration, true],
  ['docs/graph.md', graph],
  ['docs/tools.md', tools],
  ['docs/deployment.md', deployment, true],
  ['docs/threat-model.md', threatModel, true],
]

describe.for(pages)('%s', ([page, proofs, tables]) => {
  test('each promise names the tests that prove it', () => {
    expect(promisesOf(page, tables).filter(promise => !(promise in proofs))).toEqual([])
  })

  test('no test is named for what the page does not promise', () => {
    const words = readFileSync(page, 'utf8')
      .replace(/\*\*/g, '')
      .replace(/[|\s]+/g, ' ')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const isThere = (promise: string) => words.includes(promise.replace(/[|\s]+/g, ' '))
    expect(Object.keys(proofs).filter(promise => !isThere(promise))).toEqual([])
  })

  test.each(Object.entries(proofs))('%s', (_promise, tests) => {
    expect(tests).not.toEqual([])
    for (const named of tests) {
      const [, file = '', title = ''] = /^(\S+): (.+)$/.exec(named) ?? []
      expect(existsSync(file), named).toBe(true)
      expect(readFileSync(file, 'utf8'), named).toContain(title)
    }
  })
})
