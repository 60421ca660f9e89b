import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { AgentView } from '../../api.ts'
import type { TaskFields } from './task.ts'

/** What every view shares. */
interface Dashboard {
  /** Null until known. */
  readonly agents: readonly AgentView[] | null
  /** The form's values, which survive a reload. */
  readonly draft: TaskFields
  readonly setDraft: (fields: TaskFields) => void
}

/** The page provides it to every view. */
export const DashboardContext = createContext({} as Dashboard)

export const useDashboard = () => useContext(DashboardContext)
