import { crowd, isAtLength } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { describe, test } from 'vitest'
import { examine } from './faulty-agents/examine.ts'
import { expectCaught, expectSound } from './faulty-agents/expect.ts'
import { rows } from './faulty-agents/rows.ts'
import { soundAgents } from './faulty-agents/sound-agents.ts'

const byGroup = Map.groupBy(rows, ({ caughtBy: [id = ''] }) => id.split('.')[0])
/** One fault for each group of checks. */
const ofEachGroup = [...byGroup.values()].map(([first]) => first!)

describe('the checks pass an agent that', () => {
  test.for(soundAgents.slice(0, crowd(soundAgents.length, 1)))('$does', async agent => {
    expectSound(await fakeTime().until(examine(agent)), agent.advisedBy)
  })
})

describe('the checks catch an agent that', () => {
  test.for(isAtLength ? rows : ofEachGroup)('$does ($sentence)', async row => {
    const time = fakeTime()
    const examined = examine(isAtLength && !row.limits ? { ...row, only: undefined } : row)
    expectCaught(row, await time.until(examined))
  })
})
