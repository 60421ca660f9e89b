import { describe, test, vi } from 'vitest'
import { examine } from './zoo/examine.ts'
import { examineProcess } from './zoo/examine-process.ts'
import { carelessAgents } from './zoo/faults.ts'
import { processFaults } from './zoo/process-faults.ts'
import { soundAgents } from './zoo/sound-agents.ts'
import { expectCaught, expectSound } from './zoo/verdicts.ts'

vi.setConfig({ maxConcurrency: 4 })

describe.concurrent('found sound is an agent that', () => {
  test.for(soundAgents)('$does ($name)', async agent => expectSound(agent, await examine(agent)))
})

describe.concurrent('caught is an agent that', () => {
  test.for(processFaults)('$does ($name)', async fault => expectCaught(fault, await examineProcess(fault)))
  test.for(carelessAgents)('$does ($name)', async fault => expectCaught(fault, await examine(fault)))
})
