import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { Pending, ViewPage } from '../../parts/page.tsx'
import { usePoll } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { useBegin, useBegun, useRecord } from '../../state/record.ts'
import { go, hrefOf } from '../../state/route.ts'
import { RecentRuns } from '../history/run-list.tsx'
import { RecordPanel } from '../record/record-panel.tsx'
import { TaskForm } from './task-form.tsx'

interface RunViewProps {
  /** Null: the first agent. */
  readonly agentId: string | null
  /** The runs that were started from here, the latest first; of none, the agent's latest are listed. */
  readonly runIds: readonly number[]
}

/** The form for a task, next to the run that it started and the one before that, with which it is compared. */
export function RunView({ agentId, runIds }: RunViewProps) {
  const { agents } = useDashboard()
  const panel = useRef<HTMLElement>(null)
  const agent = agentId ?? agents?.[0]?.id ?? ''
  const { data, error } = usePoll<{ examples: readonly string[] }>('/api/examples', () => null)
  const begin = useBegin(agent, runIds)
  const [latest, earlier] = runIds
  const begun = useBegun(latest ?? null)

  useLayoutEffect(() => {
    // Nobody has begun a run from the address, as on a reload, just now: the focus stays.
    if (begun === null) return
    panel.current?.focus({ preventScroll: true })
    if (matchMedia('(max-width: 900px)').matches) panel.current?.scrollIntoView()
  }, [begun])

  if (agents === null || data === null) {
    return (
      <ViewPage title="Run a task">
        <Pending error={error} />
      </ViewPage>
    )
  }
  return (
    <ViewPage title="Run a task">
      <div class="stack columns">
        <TaskForm
          agentId={agent}
          examples={data.examples}
          isBusy={begin.isBusy}
          problem={begin.problem}
          onAgent={id => go(hrefOf(`run/${id}`, { run: runIds }))}
          onRun={begin.run}
        />
        <section ref={panel} class="run-side" tabIndex={-1} aria-label="The run">
          {latest === undefined ? (
            <RecentRuns agentId={agent} />
          ) : (
            <div class={earlier === undefined ? undefined : 'stack pair'}>
              <ShownRun key={latest} id={latest} begun={begun} before={earlier} />
              {earlier !== undefined && <ShownRun key={earlier} id={earlier} before={null} />}
            </div>
          )}
        </section>
      </div>
    </ViewPage>
  )
}

interface ShownRunProps {
  readonly id: number
  /** Its first record, if it has just begun. */
  readonly begun?: RunRecord | null
  /** The run to compare it with; absent: as recorded. */
  readonly before?: number | null | undefined
}

function ShownRun({ id, begun = null, before }: ShownRunProps) {
  const { data, error } = useRecord(id)
  const record = data ?? begun
  if (record === null) return <Pending error={error} />
  return <RecordPanel record={before === undefined ? record : { ...record, before }} />
}
