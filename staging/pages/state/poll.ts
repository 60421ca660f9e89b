import { useEffect, useState } from 'preact/hooks'
import { api } from './api-client.ts'

/**
 * Polls a path: loads it, and again `everyMs` after each answer. `data` is the latest answer and survives failed attempts;
 * `error` says why the latest attempt failed.
 *
 * @param path a change discards the data and starts over; null: loads nothing
 * @param everyMs in milliseconds; null: loads once
 * @param isLast whether the data is final, which stops polling
 */
export function usePoll<Data>(
  path: string | null,
  everyMs: number | null,
  isLast: (data: Data) => boolean = () => false,
) {
  const [state, setState] = useState({ path, data: null as Data | null, error: null as Error | null })

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    async function load(): Promise<void> {
      if (path === null) return
      let isOver = everyMs === null
      try {
        const data = await api.get<Data>(path, signal)
        isOver ||= isLast(data)
        if (!signal.aborted) setState({ path, data, error: null })
      } catch (error) {
        if (signal.aborted) return
        setState(before => ({ path, data: before.path === path ? before.data : null, error: error as Error }))
      }
      if (!isOver && !signal.aborted) timer = setTimeout(load, everyMs!)
    }
    void load()
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [path, everyMs])

  return state.path === path ? state : { data: null, error: null }
}
