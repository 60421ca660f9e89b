import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export interface Polled<Data> {
  /** The latest that came; null before the first. It stays while later attempts fail. */
  readonly data: Data | null
  /** Why the latest attempt failed; null when it did not. */
  readonly error: Error | null
  readonly reload: () => void
}

interface PollOptions<Data> {
  /** Another one loads at once, and keeps the data until then. */
  readonly revision?: string | undefined
  /** Whether it is loaded for good. */
  readonly isLast?: (data: Data) => boolean
}

/**
 * Loads, and again every so many milliseconds after the last answer, but never while the tab is hidden.
 *
 * @param key what is loaded: another key starts over, without the data of the one before
 * @param everyMs null: once
 */
export function usePoll<Data>(
  key: string,
  everyMs: number | null,
  load: (signal: AbortSignal) => Promise<Data>,
  { revision = '', isLast = () => false }: PollOptions<Data> = {},
): Polled<Data> {
  const [state, setState] = useState<{ key: string; data: Data | null; error: Error | null }>({
    key,
    data: null,
    error: null,
  })
  const [attempt, setAttempt] = useState(0)
  const latest = useRef(load)
  latest.current = load

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    let isLoading = false
    let isOver = false
    async function tick(): Promise<void> {
      if (document.hidden || isLoading || isOver) return
      clearTimeout(timer)
      isLoading = true
      try {
        const data = await latest.current(signal)
        if (signal.aborted) return
        isOver = isLast(data)
        setState({ key, data, error: null })
      } catch (error) {
        if (signal.aborted) return
        setState(before => ({ key, data: before.key === key ? before.data : null, error: asError(error) }))
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
  }, [key, everyMs, revision, attempt])

  const reload = useCallback(() => setAttempt(before => before + 1), [])
  const isCurrent = state.key === key
  return { data: isCurrent ? state.data : null, error: isCurrent ? state.error : null, reload }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
