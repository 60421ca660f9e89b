import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { usePoll } from '../../state/poll.ts'
import { go, goInstead, hrefOf } from '../../state/route.ts'
import { RecentRuns } from '../history/run-list.tsx'
import { RecordPanel } from '../record/record-panel.tsx'
import { LiveRun } from './live-run.tsx'
import { TaskForm } from './task-form.tsx'

/**
 * The form for a task, next to its run. In the address, `run` is the run's number, or `new` before it has one; `from`
 * is a run whose task to edit.
 */
export function RunView({ agentId, query }: { agentId: string | null; query: URLSearchParams }) {
  const { agents, runner } = useDashboard()
  const { current } = runner
  const panel = useRef<HTMLElement>(null)
  const [run, from] = [query.get('run'), Number(query.get('from'))]
  const { data: source } = usePoll<RunRecord>(from > 0 ? `/api/runs/${from}` : null, null)
  const agent = agentId ?? current?.agentId ?? agents?.[0]?.id ?? ''
  const placeOf = (id: string, number: string | number | null) =>
    hrefOf(`run/${encodeURIComponent(id)}`, { run: number })
  const isOwn =
    current !== null &&
    (run === 'new' || run === String(current.recordId) || (run === null && current.endedAt === null))

  useEffect(() => {
    if (isOwn && current.recordId !== null && from === 0 && run !== String(current.recordId))
      goInstead(placeOf(agent, current.recordId))
  }, [current?.recordId, run, from])
  useLayoutEffect(() => {
    if (!isOwn || current.endedAt !== null) return
    panel.current?.focus({ preventScroll: true })
    if (matchMedia('(max-width: 900px)').matches) panel.current?.scrollIntoView()
  }, [current?.startedAt])

  if (agents === null || (from > 0 && source === null)) {
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
          source={source}
          isBusy={current !== null && current.endedAt === null}
          onSource={() => goInstead(placeOf(agent, run))}
          onAgent={chosen => goInstead(placeOf(chosen, run))}
          onRun={request => {
            runner.start(agent, request)
            go(placeOf(agent, 'new'))
          }}
        />
        <section ref={panel} class="stack run-side" tabIndex={-1} aria-label="The run">
          {isOwn && (current.endedAt === null || current.recordId === null) ? (
            <LiveRun run={current} onCancel={runner.cancel} />
          ) : Number(run) > 0 ? (
            <RecordPanel key={run} id={Number(run)} />
          ) : (
            <RecentRuns agentId={agent} />
          )}
        </section>
      </div>
      <p class="sr-only" role="status">
        {isOwn &&
          (current.endedAt === null ? current.steps.latest || 'The run is in progress' : 'The run has ended')}
      </p>
    </Page>
  )
}
