import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { promisify } from 'node:util'
import { declaredVariables } from '@agent-task-service/engine/config'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { promisesIn, proofsIn, withoutComments } from '@agent-task-service/test-support/promises'
import { beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const read = (page: string) => readFileSync(page, 'utf8')

/** A README of an owner's own names no tests. */
const isOurs = proofsIn(read('README.md')).length > 0

const pages: [page: string, tables: boolean][] = [
  ...(isOurs ? [['README.md', false] as [string, boolean]] : []),
  ['docs/errors.md', true],
  ['docs/configuration.md', false],
  ['docs/graph.md', false],
  ['docs/tools.md', false],
  ['docs/deployment.md', true],
  ['docs/threat-model.md', true],
]

/** The suites that `.ci/run` runs. */
const suites = [
  'vitest.config.ts',
  'test/world.config.ts',
  'test/faults.config.ts',
  'test/container/vitest.config.ts',
  'test/created/vitest.config.ts',
]

/** Of the tests that the pages name, `file: title` of those that would run. */
const running = new Set<string>()

beforeAll(async () => {
  const proofs = pages.flatMap(([page]) => proofsIn(read(page))).map(proof => proof.test)
  await list(proofs)
  // The list of a source has a table's title. That of a loaded file has one for each row, and what runs under a condition.
  await list(
    proofs.filter(proof => !running.has(proof)),
    '--no-static-parse',
    '--maxWorkers=1',
  )
})

/** Asks vitest for the tests in these files; it lists none that is skipped. */
async function list(proofs: readonly string[], ...options: readonly string[]): Promise<void> {
  const files = new Set(proofs.map(proof => proof.split(': ')[0]!))
  const vitest = ['node_modules/vitest/vitest.mjs', 'list', ...files, ...options]
  const lists = suites.map(async suite => {
    const listing = run(process.execPath, [...vitest, '--json', '--config', suite], { maxBuffer: 2 ** 26 })
    // Not all can be loaded here: the image's tests need the image.
    const { stdout } = await listing.catch(() => ({ stdout: '[]' }))
    return JSON.parse(stdout) as { file: string; name: string }[]
  })
  for (const { file, name } of (await Promise.all(lists)).flat()) {
    const names = name.replaceAll('\\"', '"').split(' > ')
    for (const title of [names.join(' > '), names.at(-1)]) running.add(`${relative('.', file)}: ${title}`)
  }
}

describe.for(pages)('%s', ([page, tables]) => {
  test('each promise has a proof beside it', () => {
    expect(promisesIn(read(page), tables).filter(promise => proofsIn(promise).length === 0)).toEqual([])
  })

  test('each proof is a test that runs', () => {
    const proofs = proofsIn(read(page)).map(proof => proof.test)
    expect(proofs).not.toEqual([])
    expect(proofs.filter(proof => !running.has(proof))).toEqual([])
  })

  test('test files that a promise names are among its proofs', () => {
    const unproved = promisesIn(read(page), tables).flatMap(promise => {
      const proofs = proofsIn(promise).map(proof => proof.test)
      const named = [
        ...withoutComments(promise).matchAll(/`((?:packages\/[\w-]+\/)?test\/[^`*]+\.ts)`/g),
      ].map(([, path = '']) => path)
      return named.filter(path => !proofs.some(proof => proof.startsWith(`${path}: `)))
    })
    expect(unproved).toEqual([])
  })
})

test('docs/configuration.md: each variable has a proof, but for those that an owner adds', () => {
  const proved = proofsIn(read('docs/configuration.md')).map(proof => proof.of)
  const promised = ['**Secret.**', ...Object.keys(declaredVariables(agent))]
  expect(promised.filter(name => !proved.includes(name))).toEqual([])
})
