/** Puts every fault of the zoo before the checks, and writes what they found into docs/acceptance-checks.md; minutes. */
import { replaceRegion } from '../../../scripts/region.ts'
import { Jobs } from '../../../staging/checks/session/jobs.ts'
import { examine } from './zoo/examine.ts'
import { examineProcess } from './zoo/examine-process.ts'
import type { Fault } from './zoo/fault.ts'
import { type ProcessFault, processFaults } from './zoo/process-faults.ts'
import { isOf, rows, USUAL } from './zoo/rows.ts'

const AT_ONCE = 8
const SLOW = { thinkMs: 600 }
const SAMPLE = 5

type Found = 'caught' | 'advice' | 'missed'

/** What the checks make of a fault, and whether the first line of their report names it. */
async function measure(
  fault: Fault | ProcessFault,
): Promise<{ found: Found; isNamed: boolean; cause: string }> {
  const { verdict, groups, cause = '' } = await ('name' in fault ? examineProcess(fault) : examine(fault))
  const isAdvised = groups
    .flatMap(({ assertions }) => assertions)
    .some(({ id, verdict }) => verdict === 'fail' && !USUAL.includes(id))
  const found = verdict !== 'passed' ? 'caught' : isAdvised ? 'advice' : 'missed'
  const [, id = ''] = /\(([a-z]+\.[a-z0-9_]+)\)/.exec(cause) ?? []
  return { found, isNamed: isOf(fault.caughtBy, id), cause }
}

async function line(title: string, agents: readonly (Fault | ProcessFault)[]): Promise<string> {
  const jobs = new Jobs(agents, measure)
  jobs.goAhead(AT_ONCE)
  const results: Awaited<ReturnType<typeof measure>>[] = []
  for (const agent of agents) {
    const result = await jobs.get(agent)
    results.push(result)
    const { found, isNamed, cause } = result
    if (found !== 'caught' || !isNamed) process.stderr.write(`${agent.does}: ${found}. ${cause}\n`)
  }
  const count = (wanted: Found) => results.filter(({ found }) => found === wanted).length
  const named = results.filter(({ found, isNamed }) => found === 'caught' && isNamed).length
  const counts = [agents.length, count('caught'), count('advice'), count('missed'), named]
  return `| ${[title, ...counts].join(' | ')} |`
}

const sample = rows.filter(({ limits }, index) => index % SAMPLE === 0 && limits === undefined)
const table = [
  '| faults, and the checks that examine them | | caught | as advice | missed | first line names it |',
  '| --- | --- | --- | --- | --- | --- |',
  await line('all, 20 ms a run, the checks of their sentence', rows),
  await line('those of a process of its own, likewise', processFaults),
  await line(
    'every fifth, 0.6 s a run, all checks',
    sample.map(row => ({ ...row, only: undefined, settings: SLOW })),
  ),
].join('\n')
process.stdout.write(`${table}\n`)
replaceRegion('acceptance-checks.md', 'faults', table)
