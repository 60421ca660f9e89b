import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { Page, Pending } from '../../parts/page.tsx'
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

/** The form for a task, next to the run that it started and the one before that. */
export function RunView({ agentId, runIds }: RunViewProps) {
  const { agents } = useDashboard()
  const panel = useRef<HTMLElement>(null)
  const agent = agentId ?? agents?.[0]?.id ?? ''
  const { data, error } = usePoll<{ examples: readonly string[] }>('/api/examples', () => null)
  const begin = useBegin(agent, runIds)
  const begun = useBegun(runIds[0] ?? null)

  useLayoutEffect(() => {
    // Nobody has begun a run from the address, as on a reload, just now: the focus stays.
    if (begun === null) return
    panel.current?.focus({ preventScroll: true })
    if (matchMedia('(max-width: 900px)').matches) panel.current?.scrollIntoView()
  }, [begun])

  if (agents === null || data === null) {
    return (
      <Page title="Run a task">
        <Pending error={error} />
      </Page>
    )
  }
  return (
    <Page title="Run a task">
      <div class="columns">
        <TaskForm
          agentId={agent}
          examples={data.examples}
          isBusy={begin.isBusy}
          problem={begin.problem}
          onAgent={id => go(hrefOf(`run/${id}`))}
          onRun={begin.run}
        />
        <section ref={panel} class="run-side" tabIndex={-1} aria-label="The run">
          {runIds.length === 0 ? (
            <RecentRuns agentId={agent} />
          ) : (
            <div class={runIds.length > 1 ? 'pair' : undefined}>
              {runIds.map(id => (
                <ShownRun key={id} id={id} begun={begun?.id === id ? begun : null} />
              ))}
            </div>
          )}
        </section>
      </div>
    </Page>
  )
}

interface ShownRunProps {
  readonly id: number
  /** Its first record, if it has just begun. */
  readonly begun: RunRecord | null
}

function ShownRun({ id, begun }: ShownRunProps) {
  const { data, error } = useRecord(id)
  const record = data ?? begun
  return record === null ? <Pending error={error} /> : <RecordPanel record={record} />
}
