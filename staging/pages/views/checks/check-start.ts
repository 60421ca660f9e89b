import { type Action, useAction } from '../../state/action.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { go, hrefOf } from '../../state/route.ts'

/** Starts the acceptance checks of an agent and goes to where they can be watched. */
export function useCheckStart(agentId: string): Action {
  const { api } = useDashboard()
  return useAction(async () => {
    const { id } = await api.startChecks(agentId)
    go(hrefOf(`checks/${id}`))
  })
}
