import { useEffect, useRef, useState } from 'preact/hooks'
import type { CheckRun } from '../../api.ts'
import { objectIn, textOf } from '../../json.ts'
import { go, hrefOf } from './route.ts'

/**
 * A client for the platform's API; see `api.ts` for the paths and answers. Every call throws an `Error` whose
 * message says what is wrong, or an `AbortError` if its signal aborts.
 */
export const api = {
  get: <Body>(path: string, signal: AbortSignal) => json<Body>(path, { signal }),
  post: <Body>(path: string, body?: object) =>
    json<Body>(path, { method: 'POST', ...(body && { body: JSON.stringify(body) }) }),
}

async function json<Body>(path: string, init: RequestInit): Promise<Body> {
  const response = await fetch(path, { ...init, cache: 'no-store' }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new Error('The platform cannot be reached.')
  })
  if (response.ok) return (await response.json()) as Body
  throw new Error(await describeFailure(response))
}

/** The error message of a response, the platform's own if it sent one. */
async function describeFailure(response: Response): Promise<string> {
  const { error } = objectIn(await response.text())
  return textOf(error) || `The platform answered with status ${response.status}.`
}

/** How long to wait after a failed attempt. */
const RETRY_MS = 1000

/**
 * Polls a path: loads it, and again some time after each answer. `data` is the latest answer and survives failed attempts;
 * `error` says why the latest attempt failed.
 *
 * @param path a change discards the data and starts over; null: loads nothing
 * @param waitMs how long to wait after an answer, in milliseconds; null: it is final
 */
export function usePoll<Data>(path: string | null, waitMs: (data: Data) => number | null) {
  const [state, setState] = useState({ path, data: null as Data | null, error: null as Error | null })

  useEffect(() => {
    if (path === null) return
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    const load = async (): Promise<void> => {
      let wait: number | null = RETRY_MS
      try {
        const data = await api.get<Data>(path, signal)
        wait = waitMs(data)
        if (!signal.aborted) setState({ path, data, error: null })
      } catch (error) {
        if (signal.aborted) return
        setState(before => ({ path, data: before.path === path ? before.data : null, error: error as Error }))
      }
      if (wait !== null && !signal.aborted) timer = setTimeout(load, wait)
    }
    void load()
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [path])

  return state.path === path ? state : { data: null, error: null }
}

/**
 * A button's action: runs once at a time and keeps its error. The button needs only `aria-disabled` meanwhile:
 * `disabled` would take the focus from it.
 */
export function useAction<Arguments extends unknown[] = []>(act: (...given: Arguments) => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false)
  /** Why the last attempt failed; null if it succeeded. */
  const [problem, setProblem] = useState<string | null>(null)
  // A second press can come before the page shows the first.
  const isRunning = useRef(false)
  async function run(...given: Arguments): Promise<void> {
    if (isRunning.current) return
    isRunning.current = true
    setBusy(true)
    setProblem(null)
    try {
      await act(...given)
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return { run, isBusy, problem }
}

/** Starts an agent's acceptance checks and shows them. */
export function useChecks(agentId: string) {
  return useAction(async () => {
    const begun = await api.post<CheckRun>(`/api/agents/${agentId}/checks`)
    go(hrefOf(`checks/${begun.id}`))
  })
}
