import { useLayoutEffect, useRef } from 'preact/hooks'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { plural } from '../../state/format.ts'
import { go, hrefOf } from '../../state/route.ts'
import { RecentRuns } from '../history/run-list.tsx'
import { RecordPanel } from '../record/record-panel.tsx'
import { LiveRun } from './live-run.tsx'
import { TaskForm } from './task-form.tsx'

/** The form for a task, next to the run that it started, or else the latest runs. */
export function RunView({ agentId }: { agentId: string | null }) {
  const { agents, runner } = useDashboard()
  const { current } = runner
  const panel = useRef<HTMLElement>(null)
  const agent = agentId ?? current?.agentId ?? agents?.[0]?.id ?? ''
  const isUnderway = current !== null && current.endedAt === null
  const show = (id: string) => go(hrefOf(`run/${id}`))

  useLayoutEffect(() => {
    if (!isUnderway) return
    panel.current?.focus({ preventScroll: true })
    if (matchMedia('(max-width: 900px)').matches) panel.current?.scrollIntoView()
  }, [current?.startedAt])

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
          isBusy={isUnderway}
          onAgent={show}
          onRun={request => runner.start(agent, request)}
        />
        <section ref={panel} class="stack run-side" tabIndex={-1} aria-label="The run">
          {current === null || current.agentId !== agent ? (
            <RecentRuns agentId={agent} />
          ) : isUnderway || current.recordId === null ? (
            <LiveRun run={current} onCancel={runner.cancel} />
          ) : (
            <RecordPanel key={current.recordId} id={current.recordId} />
          )}
        </section>
      </div>
      <p class="sr-only" role="status">
        {isUnderway && `The run is in progress, ${plural(current.steps.steps.length, 'step')} so far`}
        {current && !isUnderway && 'The run has ended'}
      </p>
    </Page>
  )
}
