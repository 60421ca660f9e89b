import { isAtLength, some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { describe, test } from 'vitest'
import { examine } from './faulty-agents/examine.ts'
import { expectCaught, expectSound } from './faulty-agents/expect.ts'
import { rows } from './faulty-agents/rows.ts'
import { soundAgents } from './faulty-agents/sound-agents.ts'

describe('the checks pass an agent that', () => {
  test.for(some(soundAgents, 5))('$does', async agent => {
    expectSound(await fakeTime().until(examine(agent)), agent.advisedBy)
  })
})

describe('the checks catch an agent that', () => {
  test.for(some(rows, 10))('$does ($sentence)', async row => {
    const time = fakeTime()
    // At length, with all other checks as well.
    const examined = examine(isAtLength && !row.limits ? { ...row, only: undefined } : row)
    expectCaught(row, await time.until(examined))
  })
})
