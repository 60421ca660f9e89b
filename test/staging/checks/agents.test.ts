import { describe, test, vi } from 'vitest'
import { isAtLength, some } from '../../support/at-length.ts'
import { examine } from './zoo/examine.ts'
import { examineProcess } from './zoo/examine-process.ts'
import { processFaults } from './zoo/process-faults.ts'
import { rows } from './zoo/rows.ts'
import { soundAgents } from './zoo/sound-agents.ts'
import { expectCaught, expectSound } from './zoo/verdicts.ts'

vi.setConfig({ maxConcurrency: 8 })

describe.concurrent('the checks pass an agent that', () => {
  test.for(some(soundAgents, 3))('$does ($name)', async agent => expectSound(await examine(agent)))
})

describe.concurrent('the checks catch an agent that', () => {
  test.for(some(processFaults, 3))('$does ($name)', async fault =>
    expectCaught(fault, await examineProcess(fault)),
  )
  test.for(some(rows, 10))('$does ($sentence)', async row =>
    expectCaught(row, await examine(isAtLength && !row.limits ? { ...row, only: undefined } : row)),
  )
})
