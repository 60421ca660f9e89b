import { describe, expect, test } from 'vitest'
import { examineProcess } from './faulty-agents/examine-process.ts'
import { assertionsOf, expectCaught } from './faulty-agents/expect.ts'
import { processFaults } from './faulty-agents/process-faults.ts'

test('the first line is about a process that ended by itself, the second about what was asked of it', async () => {
  const report = await examineProcess(processFaults.find(({ name }) => name === 'dies-of-two')!)
  const { cause, causeId } = report
  expect(cause).toMatch(
    /^the agent's process ended by itself \(exit code 70\)\. Its last lines: .*panic: concurrent map writes\nThis was examined then: /,
  )
  const assertions = assertionsOf(report)
  expect(assertions.filter(({ verdict }) => verdict === 'not_run')).toEqual([])
  expect(cause).toContain(`(${assertions.find(({ verdict }) => verdict === 'fail')!.id})`)
  expect(assertions.find(({ id }) => id === causeId)).toMatchObject({ verdict: 'fail' })
})

describe.concurrent('the checks catch an agent that', () => {
  test.for(processFaults)('$does', async fault => expectCaught(fault, await examineProcess(fault)))
})
