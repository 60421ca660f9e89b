import { some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { test } from 'vitest'
import { expectSound } from './faulty-agents/expect.ts'
import { examineThinking } from './thinking-agent/examine-thinking.ts'

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1)

test.for(some(SEEDS, 10))(
  'no fault is found in an agent that does each task in another way: seed %i',
  async seed => {
    expectSound(await fakeTime().until(examineThinking(seed, 20)))
  },
)
