import { type GroupId, sentences } from '@agent-task-service/rehearsal/checks'
import { thinkingAgent } from '../thinking-agent/thinking-agent.ts'
import type { Fault } from './fault.ts'
import { faultsBySentence } from './faults-by-sentence.ts'
import { type Change, faulty } from './faulty-agent.ts'

const THINK_MS = 20

/** What the second agent is advised on anyway. */
export const USUAL = ['input.error_example', 'input.invalid_is_200']

/** @param checks assertions, or whole groups of them */
export const isOf = (checks: readonly string[], id: string) =>
  checks.some(check => check === id || id.startsWith(`${check}.`))

/** A fault of the table. It is caught by any check of its sentence. */
export interface Row extends Fault {
  readonly sentence: string
}

/** @param agentOf makes the agent that has a fault, of the number of its row */
const rowsOf = (agentOf: (change: Change, index: number) => Row['Agent']): readonly Row[] =>
  Object.entries(faultsBySentence)
    .flatMap(([sentence, faults]) =>
      Object.entries(faults).map(([does, change]) => ({ sentence, does, change })),
    )
    .map(({ sentence, does, change }, index) => {
      const { checks, also } = sentences.find(({ id }) => id === sentence)!
      const caughtBy = [...checks, ...also]
      const groups = new Set(caughtBy.map(id => id.split('.')[0] as GroupId))
      // Some checks compare what the runs of others showed.
      if (groups.has('metrics')) groups.add('run')
      return {
        sentence,
        does,
        Agent: agentOf(change, index),
        settings: { thinkMs: THINK_MS },
        stalls: groups.has('end'),
        only: [...groups],
        caughtBy,
        ...examination(change),
      }
    })

/** Of an agent that does each task in the same way. */
export const rows = rowsOf(change => faulty(change))
/** Of one that varies. Some have nothing to show there: what never fails tells no failure as a success. */
export const variedRows = rowsOf((change, index) => faulty(change, thinkingAgent(index + 1)))

function examination({ limits, only, isOpen }: Change): Partial<Fault> {
  return {
    ...(limits && { limits }),
    ...(only && { only }),
    ...(isOpen && { isOpen }),
  }
}
