import type { CheckRun } from '../../../api.ts'
import { useAction } from '../../state/action.ts'
import { agentPath } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { go, hrefOf } from '../../state/route.ts'

/** Starts the acceptance checks of an agent and goes to where they can be watched. */
export function useCheckStart(agentId: string) {
  const { api } = useDashboard()
  return useAction(async () => {
    const { id } = await api.post<CheckRun>(agentPath(agentId, 'checks'))
    go(hrefOf(`checks/${id}`))
  })
}
