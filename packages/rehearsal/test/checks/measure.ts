/** Puts every fault of the faulty agents before the checks, and writes what they found into docs/reference/acceptance-checks.md; an hour. */

import { replaceRegion } from '@agent-task-service/cli/documents'
import { examine } from './faulty-agents/examine.ts'
import { examineProcess } from './faulty-agents/examine-process.ts'
import type { Fault } from './faulty-agents/fault.ts'
import { type ProcessFault, processFaults } from './faulty-agents/process-faults.ts'
import { isOf, rows, USUAL, variedRows } from './faulty-agents/rows.ts'

/** They mostly wait for their agents. */
const AT_ONCE = 12

type Found = 'caught' | 'advice' | 'missed'

/** What the checks make of a fault, and whether the first line of their report names it. */
async function measure(
  fault: Fault | ProcessFault,
): Promise<{ found: Found; isNamed: boolean; cause: string }> {
  const {
    verdict,
    groups,
    cause = '',
    causeId = '',
  } = await ('name' in fault ? examineProcess(fault) : examine(fault))
  const isAdvised = groups
    .flatMap(({ assertions }) => assertions)
    .some(({ id, verdict }) => verdict === 'fail' && !USUAL.includes(id))
  const found = verdict !== 'passed' ? 'caught' : isAdvised ? 'advice' : 'missed'
  return { found, isNamed: isOf(fault.caughtBy, causeId), cause }
}

async function line(title: string, agents: readonly (Fault | ProcessFault)[]): Promise<string> {
  const results: Awaited<ReturnType<typeof measure>>[] = []
  const next = agents.values()
  const work = async () => {
    for (const agent of next) {
      const result = await measure(agent)
      results.push(result)
      const { found, isNamed, cause } = result
      if (found !== 'caught' || !isNamed) process.stderr.write(`${agent.does}: ${found}. ${cause}\n`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const count = (wanted: Found) => results.filter(({ found }) => found === wanted).length
  const named = results.filter(({ found, isNamed }) => found === 'caught' && isNamed).length
  const counts = [agents.length, count('caught'), count('advice'), count('missed'), named]
  return `| ${[title, ...counts].join(' | ')} |`
}

/** Agents that keep to the clock, examined by all checks; those with limits of their own need them. */
const slow = (thinkMs: number) =>
  rows
    .filter(({ limits }) => limits === undefined)
    .map(row => ({ ...row, only: undefined, settings: { thinkMs } }))
const table = [
  '| faults, and the checks that examine them | | caught | advisory only | missed | first line names it |',
  '| --- | --- | --- | --- | --- | --- |',
  await line('all, 20 ms a run, the checks of their sentence', rows),
  await line('all, of an agent that varies, likewise', variedRows),
  await line('those of a process of its own, likewise', processFaults),
  await line('all, 0.6 s a run, all checks', slow(600)),
  await line('all, 2 s a run, all checks', slow(2_000)),
].join('\n')
process.stdout.write(`${table}\n`)
replaceRegion('reference/acceptance-checks.md', 'faults', table)
