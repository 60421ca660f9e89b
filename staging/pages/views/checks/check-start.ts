import { useState } from 'preact/hooks'
import { useDashboard } from '../../state/dashboard.ts'
import { go, hrefOf } from '../../state/route.ts'

/** Starts the acceptance checks of an agent and goes to where they can be watched. */
export function useCheckStart(agentId: string) {
  const { api } = useDashboard()
  const [isStarting, setStarting] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  async function start(): Promise<void> {
    setStarting(true)
    setProblem(null)
    try {
      const { id } = await api.startChecks(agentId)
      go(hrefOf(`checks/${id}`))
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setStarting(false)
    }
  }
  return { start, isStarting, problem }
}
