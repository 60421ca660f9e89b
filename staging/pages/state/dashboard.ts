import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { AgentView } from '../../api.ts'
import type { Runner } from './runner.ts'

/** What every view shares. */
export interface Dashboard {
  /** Null until known. */
  readonly agents: readonly AgentView[] | null
  readonly runner: Runner
}

export const DashboardContext = createContext<Dashboard | null>(null)

/** @throws {Error} outside the page */
export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext)
  if (dashboard === null) throw new Error('called outside the page')
  return dashboard
}
