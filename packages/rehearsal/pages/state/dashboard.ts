import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
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

/** The time in milliseconds, which goes on. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
