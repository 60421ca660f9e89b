import { isAtLength, some } from '@agent-task-service/test-support/at-length'
import { describe, expect, test, vi } from 'vitest'
import type { Report } from '../../report.ts'
import { examine } from './faulty-agents/examine.ts'
import { examineProcess } from './faulty-agents/examine-process.ts'
import type { Fault } from './faulty-agents/fault.ts'
import { processFaults } from './faulty-agents/process-faults.ts'
import { isOf, rows } from './faulty-agents/rows.ts'
import { soundAgents } from './faulty-agents/sound-agents.ts'

vi.setConfig({ maxConcurrency: 8 })

describe.concurrent('the checks pass an agent that', () => {
  test.for(some(soundAgents, 3))('$does', async agent => expectSound(await examine(agent)))
})

test('the first line is about a process that ended by itself, the second about what was asked of it', async () => {
  const { cause, causeId, groups } = await examineProcess(
    processFaults.find(({ name }) => name === 'dies-of-two')!,
  )
  expect(cause).toMatch(
    /^the agent's process ended by itself \(exit code 70\)\. Its last lines: .*panic: concurrent map writes\nIt was asked then: /,
  )
  const assertions = assertionsOf({ groups } as Report)
  expect(assertions.filter(({ verdict }) => verdict === 'not_run')).toEqual([])
  expect(cause).toContain(`(${assertions.find(({ verdict }) => verdict === 'fail')!.id})`)
  expect(assertions.find(({ id }) => id === causeId)).toMatchObject({ verdict: 'fail' })
})

describe.concurrent('the checks catch an agent that', () => {
  test.for(some(processFaults, 3))('$does', async fault => expectCaught(fault, await examineProcess(fault)))
  test.for(some(rows, 10))('$does ($sentence)', async row =>
    expectCaught(row, await examine(isAtLength && !row.limits ? { ...row, only: undefined } : row)),
  )
})

const assertionsOf = ({ groups }: Report) => groups.flatMap(({ assertions }) => assertions)
const detailsOf = (assertions: ReturnType<typeof assertionsOf>) =>
  assertions.map(({ id, detail }) => `${id}: ${detail}`).join('\n')

/** One of the expected assertions failed. */
function expectCaught({ caughtBy }: Fault, report: Report): void {
  const failed = assertionsOf(report).filter(({ verdict }) => verdict === 'fail')
  expect(
    failed.some(({ id }) => isOf(caughtBy, id)),
    detailsOf(failed),
  ).toBe(true)
}

/** Nothing mandatory failed, and everything ran. */
function expectSound(report: Report): void {
  const others = assertionsOf(report).filter(({ verdict, mandatory }) => mandatory && verdict !== 'pass')
  expect(detailsOf(others)).toBe('')
}
