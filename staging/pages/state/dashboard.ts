import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { AgentView } from '../../api.ts'
import type { Api } from './api-client.ts'
import type { Runner } from './runner.ts'

/** What every view shares. */
export interface Dashboard {
  readonly api: Api
  /** Null until known. */
  readonly agents: readonly AgentView[] | null
  readonly reloadAgents: () => void
  readonly runner: Runner
}

export const DashboardContext = createContext<Dashboard | null>(null)

/** @throws {Error} outside a signed-in page */
export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext)
  if (dashboard === null) throw new Error('called outside a signed-in page')
  return dashboard
}
