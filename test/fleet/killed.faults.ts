import { crowd } from '@agent-task-service/test-support/at-length'
import { askedSeed } from '@agent-task-service/test-support/seed'
import { beforeAll, expect, test } from 'vitest'
import { bundleOnce } from '../bundle-once.ts'
import { type Fault, Lane, type Result } from './killed/lane.ts'

/** Runs at once, each with replicas of its own. */
const LANES = 6
/** Moments of each fault in a sample. */
const FEW = 10
const { EFFECT_JOURNAL = 'on', DECLARES = 'yes', HONOURS = 'yes' } = process.env
/** What is otherwise is only shown: no journal, tools that do not say that they have side effects, services that know no keys. */
const isJudged = EFFECT_JOURNAL === 'on' && DECLARES === 'yes' && HONOURS === 'yes'

beforeAll(() => bundleOnce('test/fleet/killed/replica.ts', 'node_modules/.cache/killed'))

test.each<[fault: Fault, count: number]>([
  ['kill', 200],
  ['redis', 50],
  ['suspend', 50],
])('a run of eight calls, three with side effects, and one %s at one of %i moments', async (fault, all) => {
  const count = askedSeed === undefined ? crowd(all, FEW) : 1
  const lanes = await Promise.all(
    Array.from({ length: Math.min(LANES, count) }, () => Lane.open({ EFFECT_JOURNAL, DECLARES, HONOURS })),
  )
  const moments = await lanes[0]!.moments()
  const spread = Array.from({ length: count }, (_, nth) => nth * Math.ceil(all / count))
  const seeds = askedSeed === undefined ? spread : [askedSeed]
  const results: Result[] = []
  await Promise.all(
    lanes.map(async lane => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift())
        results.push(await lane.play(seed, fault, moments.length))
    }),
  )
  process.stdout.write(summaryOf(fault, moments, results))
  process.stdout.write(`${moments.join(', ')}\n`)
  expect(results).toHaveLength(count)
  const wrong = results.filter(({ problems }) => problems.length > 0)
  if (isJudged) expect(wrong).toEqual([])
})

function summaryOf(fault: Fault, moments: readonly string[], results: readonly Result[]): string {
  const count = (fits: (result: Result) => boolean) => results.filter(fits).length
  const has = (words: string) => (result: Result) => result.problems.some(problem => problem.includes(words))
  return [
    `${fault}, journal ${EFFECT_JOURNAL}, side effects declared ${DECLARES}, keys honoured ${HONOURS}:`,
    `${results.length} runs of ${moments.length} moments, ${count(({ moment }) => moment !== undefined)} struck;`,
    `${count(({ status }) => status === 'success')} answered, ${count(({ status }) => status === 'error')} unknown;`,
    `${count(has('times'))} with an effect twice, ${count(has('silently'))} with one lost silently,`,
    `${count(has('no reply tells'))} with one that no reply tells, ${count(({ problems }) => problems.length > 0)} with any problem\n`,
  ].join(' ')
}
