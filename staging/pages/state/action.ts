import { useState } from 'preact/hooks'

export interface Action {
  readonly run: () => Promise<void>
  readonly isBusy: boolean
  /** Why it failed last; null when it did not. */
  readonly problem: string | null
}

/** What a button does: once at a time, and with what went wrong. */
export function useAction(act: () => Promise<void>): Action {
  const [isBusy, setBusy] = useState(false)
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
