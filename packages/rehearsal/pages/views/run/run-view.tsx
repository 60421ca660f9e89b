import { useLayoutEffect, useRef } from 'preact/hooks'
import { Page, Pending } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { useBegin, useBegun, useRecord } from '../../state/record.ts'
import { go, hrefOf } from '../../state/route.ts'
import { RecentRuns } from '../history/run-list.tsx'
import { RecordPanel } from '../record/record-panel.tsx'
import { TaskForm } from './task-form.tsx'

interface RunViewProps {
  /** Null: the first agent. */
  readonly agentId: string | null
  /** Null: none was started from here. */
  readonly runId: number | null
}

/** The form for a task, next to the run that it started, or else the latest runs. */
export function RunView({ agentId, runId }: RunViewProps) {
  const { agents } = useDashboard()
  const panel = useRef<HTMLElement>(null)
  const agent = agentId ?? agents?.[0]?.id ?? ''
  const begin = useBegin(agent)
  const begun = useBegun(runId)
  const { data, error } = useRecord(runId)
  const record = data ?? begun
  const isUnderway = runId !== null && (record === null ? error === null : record.status === 'underway')

  useLayoutEffect(() => {
    // Nobody has begun a run from the address, as on a reload, just now: the focus stays.
    if (begun === null) return
    panel.current?.focus({ preventScroll: true })
    if (matchMedia('(max-width: 900px)').matches) panel.current?.scrollIntoView()
  }, [begun])

  if (agents === null) {
    return (
      <Page title="Run a task">
        <Pending error={null} />
      </Page>
    )
  }
  return (
    <Page title="Run a task">
      <div class="columns">
        <TaskForm
          agentId={agent}
          isBusy={isUnderway || begin.isBusy}
          problem={begin.problem}
          onAgent={id => go(hrefOf(`run/${id}`))}
          onRun={begin.run}
        />
        <section ref={panel} class="stack run-side" tabIndex={-1} aria-label="The run">
          {runId === null ? (
            <RecentRuns agentId={agent} />
          ) : record === null ? (
            <Pending error={error} />
          ) : (
            <RecordPanel key={runId} record={record} />
          )}
        </section>
      </div>
    </Page>
  )
}
