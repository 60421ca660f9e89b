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

export const DashboardContext = createContext<Dashboard | null>(null)

/** @throws {Error} outside the page */
export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext)
  if (dashboard === null) throw new Error('called outside the page')
  return dashboard
}

/** The form's values, which survive a reload. */
export function useDraft() {
  const [draft, setFields] = useState(readDraft)
  function setDraft(fields: TaskFields): void {
    setFields(fields)
    saveDraft(fields)
  }
  return { draft, setDraft }
}
