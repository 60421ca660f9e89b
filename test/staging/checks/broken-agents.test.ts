import { describe, expect, test, vi } from 'vitest'
import { isAtLength, some } from '../../support/at-length.ts'
import { examine } from './zoo/examine.ts'
import { brokenAgents, faults, inItsGroup } from './zoo/faults.ts'
import { FAILED } from './zoo/requests.ts'
import { rows } from './zoo/rows.ts'
import { soundAgents } from './zoo/sound-agents.ts'
import { timeFaults } from './zoo/time-faults.ts'
import { expectCaught, idsOf, mandatoryOf, OUT_OF_SIGHT } from './zoo/verdicts.ts'

vi.setConfig({ maxConcurrency: 8 })

describe.concurrent('the checks catch an agent that', () => {
  test.for(isAtLength ? brokenAgents : some(brokenAgents, 4).map(inItsGroup))('$does ($name)', async fault =>
    expectCaught(fault, await examine(fault)),
  )
})

test('each mandatory assertion catches some fault', async () => {
  const caught = [...faults, ...rows].flatMap(({ caughtBy, unseen = [] }) => [...caughtBy, ...unseen])
  // An agent that answers 500 where a run failed breaks all of these.
  caught.push(...FAILED)
  const mandatory = mandatoryOf(await examine(soundAgents[0]!))
  expect(idsOf(mandatory).filter(id => ![...OUT_OF_SIGHT, ...caught].includes(id))).toEqual([])
})

test('the faults have names of their own', () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
})

// Separate, because running next to so many others would slow these down.
describe.concurrent('a shortened limit catches an agent that', () => {
  test.for(isAtLength ? timeFaults : some(timeFaults, 4).map(inItsGroup))('$does ($name)', async fault =>
    expectCaught(fault, await examine(fault)),
  )
})
