import { describe, expect, test, vi } from 'vitest'
import type { Assertion, Report } from '../../staging/checks/report.ts'
import { examine } from './zoo/examine.ts'
import { examineProcess } from './zoo/examine-process.ts'
import type { Fault } from './zoo/fault.ts'
import { faults, timeFaults } from './zoo/faults.ts'
import { processFaults } from './zoo/process-faults.ts'
import { soundAgents } from './zoo/sound-agents.ts'

vi.setConfig({ maxConcurrency: 8 })

/** What an agent in this process is not asked, since it has neither a platform nor an image. */
const OUT_OF_SIGHT = ['metrics.platform_totals', 'run.staging_route']
const all = [...faults, ...timeFaults, ...processFaults]

const mandatoryOf = ({ groups }: Report) =>
  groups.flatMap(({ assertions }) => assertions).filter(({ mandatory }) => mandatory)
const idsOf = (assertions: readonly Assertion[]) => assertions.map(({ id }) => id).sort()

/** What failed of the mandatory assertions, and of the advisory ones those that the fault is about. */
function blamed({ groups }: Report, { caughtBy }: Fault): Assertion[] {
  return groups
    .flatMap(({ assertions }) => assertions)
    .filter(({ verdict, mandatory, id }) => verdict === 'fail' && (mandatory || caughtBy.includes(id)))
}

function expectCaught(fault: Fault, report: Report): void {
  const found = blamed(report, fault)
  const details = found.map(({ id, detail }) => `${id}: ${detail}`).join('\n')
  expect(idsOf(found), details).toEqual([...fault.caughtBy].sort())
  const unseen = mandatoryOf(report).filter(({ verdict }) => verdict === 'not_run')
  expect(idsOf(unseen)).toEqual(expect.arrayContaining([...(fault.unseen ?? [])]))
}

describe.concurrent('found sound is an agent that', () => {
  test.for(soundAgents)('$does ($name)', async agent => {
    const report = await examine(agent)
    expect(blamed(report, agent).map(({ id, detail }) => `${id}: ${detail}`)).toEqual([])
    const unseen = mandatoryOf(report).filter(({ verdict }) => verdict === 'not_run')
    expect(idsOf(unseen)).toEqual(OUT_OF_SIGHT)
  })
})

test('the faults are many, and told apart', () => {
  expect(all.length).toBeGreaterThanOrEqual(36)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
})

test('a fault that more than one assertion sees says why', () => {
  const unexplained = all.filter(({ caughtBy, because }) => caughtBy.length > 1 && because === undefined)
  expect(unexplained.map(({ name }) => name)).toEqual([])
})

describe.concurrent('caught is an agent that', () => {
  test.for(faults)('$does ($name)', async fault => expectCaught(fault, await examine(fault)))
  test.for(processFaults)('$does ($name)', async fault => expectCaught(fault, await examineProcess(fault)))
})

test('each mandatory assertion catches some fault', async () => {
  const caught = new Set([
    ...OUT_OF_SIGHT,
    ...all.flatMap(({ caughtBy, unseen = [] }) => [...caughtBy, ...unseen]),
  ])
  const mandatory = mandatoryOf(await examine(soundAgents[0]!))
  expect(mandatory.length).toBeGreaterThan(100)
  expect(idsOf(mandatory).filter(id => !caught.has(id))).toEqual([])
})

// By themselves: what is slow of the others would count against them.
describe.concurrent('caught by the shortened clock is an agent that', () => {
  test.for(timeFaults)('$does ($name)', async fault => expectCaught(fault, await examine(fault)))
})
