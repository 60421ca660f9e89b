import { type GroupId, sentences } from '@agent-task-service/rehearsal/checks'
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

export const rows: readonly Row[] = Object.entries(faultsBySentence).flatMap(([sentence, faults]) => {
  const { checks, also } = sentences.find(({ id }) => id === sentence)!
  const caughtBy = [...checks, ...also]
  const groups = new Set(caughtBy.map(id => id.split('.')[0] as GroupId))
  // Some checks compare what the runs of others showed.
  if (groups.has('metrics')) groups.add('run')
  return Object.entries(faults).map(([does, change]) => ({
    sentence,
    does,
    Agent: faulty(change),
    settings: { thinkMs: THINK_MS },
    stalls: groups.has('end'),
    only: [...groups],
    caughtBy,
    ...examination(change),
  }))
})

function examination({ limits, only, isOpen }: Change): Partial<Fault> {
  return {
    ...(limits && { limits }),
    ...(only && { only }),
    ...(isOpen && { isOpen }),
  }
}
