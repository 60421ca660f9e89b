import type { CheckRun } from '../../api.ts'
import { useAction } from './action.ts'
import { agentPath, api } from './api-client.ts'
import { go, hrefOf } from './route.ts'

/** Starts an agent's acceptance checks and shows them. */
export function useChecks(agentId: string) {
  return useAction(async () => {
    const begun = await api.post<CheckRun>(agentPath(agentId, 'checks'))
    go(hrefOf(`checks/${begun.id}`))
  })
}
