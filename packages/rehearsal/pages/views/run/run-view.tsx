import { useLayoutEffect, useRef } from 'preact/hooks'
import { Page, Pending } from '../../parts/page.tsx'
import { useBegin } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { useRecord } from '../../state/record.ts'
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
  const { data: record, error } = useRecord(runId)
  const isUnderway = runId !== null && (record === null ? error === null : record.status === 'underway')

  useLayoutEffect(() => {
    // On a reload, nobody has asked for the run just now: the focus stays.
    if (runId === null || document.activeElement === document.body) return
    panel.current?.focus({ preventScroll: true })
    if (matchMedia('(max-width: 900px)').matches) panel.current?.scrollIntoView()
  }, [runId])

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
