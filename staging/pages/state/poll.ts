import { useEffect, useState } from 'preact/hooks'
import { api } from './api-client.ts'

interface PollOptions<Data> {
  /** Whether the data is final, which stops polling. */
  readonly isLast?: (data: Data) => boolean
}

/**
 * Polls a path: loads it, and again `everyMs` after each answer, but never while the tab is hidden. `data` is the
 * latest answer and survives failed attempts; `error` says why the latest attempt failed.
 *
 * @param path a change discards the data and starts over; null: loads nothing
 * @param everyMs in milliseconds; null: loads once
 */
export function usePoll<Data>(
  path: string | null,
  everyMs: number | null,
  { isLast = () => false }: PollOptions<Data> = {},
) {
  const [state, setState] = useState({ path, data: null as Data | null, error: null as Error | null })
  const [attempt, setAttempt] = useState(0)

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    let isLoading = false
    let isOver = false
    async function tick(): Promise<void> {
      if (path === null || document.hidden || isLoading || isOver) return
      clearTimeout(timer)
      isLoading = true
      try {
        const data = await api.get<Data>(path, signal)
        if (signal.aborted) return
        isOver = isLast(data)
        setState({ path, data, error: null })
      } catch (error) {
        if (signal.aborted) return
        setState(before => ({ path, data: before.path === path ? before.data : null, error: error as Error }))
      } finally {
        isLoading = false
        if (everyMs !== null && !isOver && !signal.aborted) timer = setTimeout(tick, everyMs)
      }
    }
    void tick()
    document.addEventListener('visibilitychange', tick)
    return () => {
      document.removeEventListener('visibilitychange', tick)
      clearTimeout(timer)
      controller.abort()
    }
  }, [path, everyMs, attempt])

  const reload = () => setAttempt(before => before + 1)
  return state.path === path ? { ...state, reload } : { data: null, error: null, reload }
}
