import { crowd, isAtLength } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { askedSeed } from '@agent-task-service/test-support/random'
import { expect, test } from 'vitest'
import { assertionsOf } from './faulty-agents/expect.ts'
import { examineThinking } from './thinking-agent/examine-thinking.ts'

const HOUR_MS = 60 * 60_000
const AT_ONCE = 10
const seedsUpTo = (most: number) =>
  askedSeed === undefined ? Array.from({ length: most }, (_, index) => index + 1) : [askedSeed]

/** What the agents of some seeds are blamed for, a few of them examined at a time. */
async function blames(seeds: readonly number[], thinkMs: number): Promise<string[]> {
  const found: string[] = []
  const next = seeds.values()
  const work = async () => {
    for (const seed of next) {
      const report = await examineThinking(seed, thinkMs)
      const others = assertionsOf(report).filter(({ verdict, mandatory }) => mandatory && verdict !== 'pass')
      found.push(...others.map(({ id, detail }) => `seed ${seed}: ${id}: ${detail}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found
}

test('an agent that does each task in another way is never blamed, in time that the test moves', {
  timeout: HOUR_MS,
}, async () => {
  const time = fakeTime()
  expect(await time.until(blames(seedsUpTo(crowd(1_000, 20)), 20))).toEqual([])
})

/** How long a run takes, and how many agents take so long. */
const PACES: [ms: number, agents: number][] = isAtLength
  ? [
      [20, 100],
      [1_000, 10],
      [10_000, 2],
    ]
  : [[20, 10]]

test.for(PACES)(
  'it is never blamed in real time, at %i ms a run',
  { timeout: HOUR_MS },
  async ([ms, agents]) => {
    expect(await blames(seedsUpTo(agents), ms)).toEqual([])
  },
)
