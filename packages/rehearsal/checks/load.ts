import { sumOf } from '../figures.ts'
import type { Check, CheckGroup } from './check.ts'
import type { Session } from './session/session.ts'
import type { Load } from './session/time-budget.ts'

/** A group, with those of its checks that are made. */
export interface ChosenGroup {
  readonly group: CheckGroup
  readonly checks: readonly Check[]
}

/**
 * What the checks of these groups ask of the agent.
 *
 * @param done ids of those that are made already: of a group's load, a share as large as theirs is left out
 */
export function loadOf(
  chosen: readonly ChosenGroup[],
  session: Session,
  done: ReadonlySet<string> = new Set(),
): Load {
  const loads = chosen.map(({ group, checks }) => {
    const { alone, beside } = group.load?.(session) ?? { alone: 0, beside: 0 }
    const share = (of: readonly Check[]) => of.filter(({ id }) => !done.has(id)).length / of.length
    const [together, others] = [
      checks.filter(({ besideRuns }) => besideRuns !== undefined),
      checks.filter(({ besideRuns }) => besideRuns === undefined),
    ]
    return {
      alone: alone * share(others.length > 0 ? others : checks),
      beside: beside * share(together.length > 0 ? together : checks),
    }
  })
  const total = (of: keyof Load) => sumOf(loads.map(load => load[of]))
  return { alone: total('alone'), beside: total('beside') }
}
