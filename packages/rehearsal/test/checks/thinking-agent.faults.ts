import { isAtLength, seedsOf } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { expect, test } from 'vitest'
import { each } from './faulty-agents/each.ts'
import { assertionsOf } from './faulty-agents/expect.ts'
import { examineThinking } from './thinking-agent/examine-thinking.ts'

const HOUR_MS = 60 * 60_000

/** What the agents of some seeds are blamed for. */
async function blames(seeds: readonly number[], thinkMs: number): Promise<string[]> {
  const found = await each(seeds, async seed => {
    const report = await examineThinking(seed, thinkMs)
    const others = assertionsOf(report).filter(({ verdict, mandatory }) => mandatory && verdict !== 'pass')
    return others.map(({ id, detail }) => `seed ${seed}: ${id}: ${detail}`)
  })
  return found.flat()
}

test('an agent that does each task in another way is never blamed, in time that the test moves', {
  timeout: HOUR_MS,
}, async () => {
  const time = fakeTime()
  expect(await time.until(blames(seedsOf(1_000, 6), 20))).toEqual([])
})

/** How long a run takes, and how many agents take so long. */
const PACES: [ms: number, agents: number][] = [
  [20, 100],
  [1_000, 10],
  [10_000, 2],
]

test.for(isAtLength ? PACES : PACES.slice(0, 1))(
  'it is never blamed in real time, at %i ms a run',
  { timeout: HOUR_MS },
  async ([ms, agents]) => {
    expect(await blames(seedsOf(agents, 3), ms)).toEqual([])
  },
)
