import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import type { AgentView } from '../../api.ts'
import { readDraft, saveDraft, type TaskFields } from './task.ts'

/** What every view shares. */
interface Dashboard {
  /** Null until known. */
  readonly agents: readonly AgentView[] | null
  /** The form's values. */
  readonly draft: TaskFields
  readonly setDraft: (fields: TaskFields) => void
}

/** The page provides it to every view. */
export const DashboardContext = createContext({} as Dashboard)

export const useDashboard = () => useContext(DashboardContext)

/** The form's values, which survive a reload. */
export function useDraft() {
  const [draft, setFields] = useState(readDraft)
  function setDraft(fields: TaskFields): void {
    setFields(fields)
    saveDraft(fields)
  }
  return { draft, setDraft }
}
