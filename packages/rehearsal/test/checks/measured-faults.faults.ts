import { replaceRegion } from '@agent-task-service/cli/documents'
import { isAtLength, some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { expect, test } from 'vitest'
import { each } from './faulty-agents/each.ts'
import { examine } from './faulty-agents/examine.ts'
import { examineProcess } from './faulty-agents/examine-process.ts'
import { assertionsOf } from './faulty-agents/expect.ts'
import type { Fault } from './faulty-agents/fault.ts'
import { type ProcessFault, processFaults } from './faulty-agents/process-faults.ts'
import { isOf, rows, USUAL, variedRows } from './faulty-agents/rows.ts'

const HOURS_MS = 3 * 60 * 60_000

type Found = 'caught' | 'advice' | 'missed'

/** What the checks make of a fault, and whether the first line of their report names it. */
async function measure(fault: Fault | ProcessFault) {
  const report = await ('name' in fault ? examineProcess(fault) : examine(fault))
  const isAdvised = assertionsOf(report).some(({ id, verdict }) => verdict === 'fail' && !USUAL.includes(id))
  const found: Found = report.verdict !== 'passed' ? 'caught' : isAdvised ? 'advice' : 'missed'
  const isNamed = found === 'caught' && isOf(fault.caughtBy, report.causeId ?? '')
  if (!isNamed) process.stderr.write(`${fault.does}: ${found}. ${report.cause ?? ''}\n`)
  return { found, isNamed }
}

async function line(title: string, agents: readonly (Fault | ProcessFault)[]) {
  const results = await each(agents, measure)
  const count = (wanted: Found) => results.filter(({ found }) => found === wanted).length
  const named = results.filter(({ isNamed }) => isNamed).length
  const counts = [agents.length, count('caught'), count('advice'), count('missed'), named]
  return { text: `| ${[title, ...counts].join(' | ')} |`, missed: count('missed') }
}

/** Agents that keep to the clock, examined by all checks; those with limits of their own need them. */
const slow = (thinkMs: number) =>
  rows
    .filter(({ limits }) => limits === undefined)
    .map(row => ({ ...row, only: undefined, settings: { thinkMs } }))

test('faults are caught however long a run takes', { timeout: HOURS_MS }, async () => {
  const few = <Row>(all: readonly Row[]) => some(all, 30)
  const processes = await line('those of a process of its own, likewise', few(processFaults))
  const time = fakeTime()
  const lines = [
    await time.until(line('all, 20 ms a run, the checks of their sentence', few(rows))),
    await time.until(line('all, of an agent that varies, likewise', few(variedRows))),
    processes,
    await time.until(line('all, 0.6 s a run, all checks', few(slow(600)))),
    await time.until(line('all, 2 s a run, all checks', few(slow(2_000)))),
  ]
  const table = [
    '| faults, and the checks that examine them | | caught | advisory only | missed | first line names it |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines.map(({ text }) => text),
  ].join('\n')
  process.stderr.write(`${table}\n`)
  if (isAtLength) replaceRegion('reference/acceptance-checks.md', 'faults', table)
  // What an agent that varies hides, it may hide.
  const [alone, , ofProcesses, ...whole] = lines.map(({ missed }) => missed)
  expect([alone, ofProcesses]).toEqual([0, 0])
  // What hits every second result may fall on others where all checks run.
  for (const missed of whole) expect(missed).toBeLessThanOrEqual(1)
})
