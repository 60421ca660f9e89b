import type { GroupId } from '../../../../staging/checks/options.ts'
import { answerFaults } from './answer-faults.ts'
import type { Fault } from './fault.ts'
import { healthFaults } from './health-faults.ts'
import { inputFaults } from './input-faults.ts'
import { logFaults } from './log-faults.ts'
import { metricsFaults } from './metrics-faults.ts'
import { oddFaults } from './odd-faults.ts'
import { processFaults } from './process-faults.ts'
import { stateFaults } from './state-faults.ts'
import { timeFaults } from './time-faults.ts'

/** Agents whose `/health` violates the interface, or whose metrics do. */
export const brokenAgents = [...healthFaults, ...metricsFaults]
/** Agents that mix up runs, answer wrongly, break on erroneous input, or leak secrets. */
export const carelessAgents = [...stateFaults, ...answerFaults, ...inputFaults, ...oddFaults, ...logFaults]

export const faults = [...brokenAgents, ...carelessAgents, ...processFaults, ...timeFaults]

/**
 * The same, examined only by the group that must catch it, if that is one: checking whether the others blame it too
 * takes minutes.
 */
export function inItsGroup<Kind extends Fault>(fault: Kind): Kind {
  const groups = new Set([...fault.caughtBy, ...(fault.unseen ?? [])].map(id => id.split('.')[0] as GroupId))
  if (groups.size !== 1) return fault
  // Metrics cover the runs so far; with only one, a busy machine may delay just that one.
  if (groups.has('metrics')) groups.add('run')
  return { only: [...groups], ...fault }
}
