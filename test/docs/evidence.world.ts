import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { promisify } from 'node:util'
import { declaredVariables } from '@agent-task-service/engine/config'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { expect, test } from 'vitest'
import { allEvidence, plainText, promisesIn } from './evidence.ts'

const run = promisify(execFile)
const read = (page: string) => readFileSync(page, 'utf8')
const evidence = Map.groupBy(allEvidence(), ({ page }) => page)
/** What tests quote of a page that it does not have. */
function goneFrom(page: string): string[] {
  const text = plainText(read(page))
  const gone = evidence.get(page)!.filter(({ sentence }) => !text.includes(sentence))
  return gone.map(({ sentence, test }) => `${test}: ${sentence}`)
}

/** An owner may have replaced it by a README of their own, of which no test says anything. */
const README = 'README.md'
const isOurs = goneFrom(README).length < evidence.get(README)!.length

test.each([...evidence.keys()].filter(page => page !== README || isOurs))(
  'each sentence that a test quotes stands in %s',
  page => {
    expect(goneFrom(page)).toEqual([])
  },
)

test.each([
  ...(isOurs ? [[README, false] as const] : []),
  ['docs/reference/errors.md', true],
  ['docs/configuration.md', false],
  ['docs/guides/graph.md', false],
  ['docs/guides/agent-loops.md', false],
  ['docs/reference/graph-rules.md', false],
  ['docs/guides/tools.md', false],
  ['docs/reference/tool-rules.md', false],
  ['docs/reference/shipped-tools.md', false],
  ['docs/guides/deployment.md', true],
  ['docs/reference/fleet.md', true],
  ['docs/reference/image.md', true],
  ['docs/reference/threat-model.md', true],
] as const)('each promise of %s has a test that says so', (page, tables) => {
  const sentences = evidence.get(page)!.map(({ sentence }) => sentence)
  const promises = promisesIn(read(page), tables).map(plainText)
  expect(promises).not.toEqual([])
  expect(promises.filter(promise => !sentences.some(sentence => promise.includes(sentence)))).toEqual([])
})

test('each variable has one, but for those that an owner adds', () => {
  const proved = evidence.get('docs/configuration.md')!.map(({ sentence }) => sentence)
  const promised = ['Secret.', ...Object.keys(declaredVariables(agent)).map(name => `| \`${name}\` |`)]
  expect(promised.filter(sentence => !proved.includes(sentence))).toEqual([])
})

/** The suites that `.ci/run` runs, of some tests a sample, and `.ci/nightly` with every case. */
const suites = [
  'vitest.config.ts',
  'test/world.config.ts',
  'test/faults.config.ts',
  'test/container/vitest.config.ts',
  'test/created/vitest.config.ts',
]

test('each test that proves a sentence of a page runs, and is not skipped', async () => {
  const proofs = [...evidence.values()].flat().map(({ test }) => test)
  expect(proofs.length).toBeGreaterThan(500)
  const asWritten = await running(proofs)
  // The list of a source has a table's title. That of a loaded file has one for each row, and what runs under a condition.
  const left = proofs.filter(proof => !asWritten.has(proof))
  const asLoaded = await running(left, '--no-static-parse', '--maxWorkers=1')
  expect(left.filter(proof => !asLoaded.has(proof))).toEqual([])
})

/** Of the tests in the files of these, `file: title` of each that vitest would run. */
async function running(proofs: readonly string[], ...options: readonly string[]): Promise<Set<string>> {
  const files = new Set(proofs.map(proof => proof.split(': ')[0]!))
  const vitest = ['node_modules/vitest/vitest.mjs', 'list', ...files, ...options]
  const lists = suites.map(async suite => {
    const listing = run(process.execPath, [...vitest, '--json', '--config', suite], {
      maxBuffer: 2 ** 26,
      env: { ...process.env, AT_LENGTH: 'yes' },
    })
    // Not all can be loaded here: the image's tests need the image.
    const { stdout } = await listing.catch(() => ({ stdout: '[]' }))
    return JSON.parse(stdout) as { file: string; name: string }[]
  })
  const found = (await Promise.all(lists)).flat().flatMap(({ file, name }) => {
    const names = name.replaceAll('\\"', '"').split(' > ')
    return [names.join(' > '), names.at(-1)].map(title => `${relative('.', file)}: ${title}`)
  })
  return new Set(found)
}
