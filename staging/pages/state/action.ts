import { useState } from 'preact/hooks'
import type { CheckRun } from '../../api.ts'
import { agentPath, api } from './api-client.ts'
import { go, hrefOf } from './route.ts'

/** A button's action: runs once at a time and keeps its error. */
export function useAction(act: () => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false)
  /** Why the last attempt failed; null if it succeeded. */
  const [problem, setProblem] = useState<string | null>(null)
  async function run(): Promise<void> {
    setBusy(true)
    setProblem(null)
    try {
      await act()
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, problem }
}

/** Starts an agent's acceptance checks and shows them. */
export function useChecks(agentId: string) {
  return useAction(async () => {
    const begun = await api.post<CheckRun>(agentPath(agentId, 'checks'))
    go(hrefOf(`checks/${begun.id}`))
  })
}
