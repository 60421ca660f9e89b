import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { RUN_P95_MS, RUN_TIMEOUT_MS } from '../../../limits.ts'
import { Notice, Page, Pending } from '../../parts/page.tsx'
import { Inline } from '../../parts/text.tsx'
import { type CurrentRun, useDashboard } from '../../state/dashboard.ts'
import { duration, plural } from '../../state/format.ts'
import { go, hrefOf } from '../../state/route.ts'
import { RecentRuns } from '../history/run-list.tsx'
import { RecordPanel } from '../record/record-panel.tsx'
import { RunTimeline } from '../record/run-timeline.tsx'
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

const EVERY_MS = 100

/** The latest run from this page, until it has a record. */
function LiveRun({ run, onCancel }: { run: CurrentRun; onCancel: () => void }) {
  const { agentId, task, startedAt, endedAt, steps, failure } = run
  const isUnderway = endedAt === null
  const [now, setNow] = useState(startedAt)
  useEffect(() => {
    if (!isUnderway) return
    const timer = setInterval(() => setNow(performance.now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [isUnderway])
  return (
    <>
      <div class="panel stack">
        <div class="row between">
          <h2>
            {isUnderway ? 'Running on' : 'Did not run on'} <Inline text={agentId} />
          </h2>
          {isUnderway && (
            <button type="button" onClick={onCancel}>
              Cancel
            </button>
          )}
        </div>
        <p class="excerpt">
          <Inline text={task} />
        </p>
        <TimeMeter elapsedMs={Math.max(0, (endedAt ?? now) - startedAt)} />
        {failure !== null && <Notice tone="bad">{failure}</Notice>}
        {isUnderway && steps.steps.length === 0 && <p class="note">Waiting for the agent…</p>}
      </div>
      <RunTimeline run={steps} isUnderway={isUnderway} />
    </>
  )
}

/** Elapsed time against the limits of a run. */
function TimeMeter({ elapsedMs }: { elapsedMs: number }) {
  const isLate = elapsedMs > RUN_P95_MS
  const limits = `${duration(RUN_P95_MS)} is the limit for 95% of runs, ${duration(RUN_TIMEOUT_MS)} for all`
  return (
    <div class={isLate ? 'tone-warn' : 'tone-accent'}>
      <p>
        <span class="time">{duration(elapsedMs)}</span> <span class="note">{limits}</span>
      </p>
      <progress aria-label="Elapsed time" max={RUN_TIMEOUT_MS} value={Math.min(elapsedMs, RUN_TIMEOUT_MS)} />
    </div>
  )
}
