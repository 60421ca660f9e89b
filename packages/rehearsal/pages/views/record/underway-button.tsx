import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { api, useAction } from '../../state/api-client.ts'

/** Acts on a run in progress. The button goes with the run's end, and leaves its focus to the run's panel. */
export function UnderwayButton({ path, children }: { path: string; children: ComponentChildren }) {
  const button = useRef<HTMLButtonElement>(null)
  const { run, isBusy, problem } = useAction(() => api.post(path))
  useLayoutEffect(() => {
    const panel = button.current!.closest<HTMLElement>('.record')
    return () => {
      if (document.activeElement === button.current) panel?.focus()
    }
  }, [])
  return (
    <>
      {problem && <span class="problem">{problem}</span>}
      <button ref={button} type="button" onClick={run} aria-disabled={isBusy}>
        {children}
      </button>
    </>
  )
}
