import { useEffect, useRef } from 'preact/hooks'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { CurrentRunPanel } from './current-run.tsx'
import { TaskForm } from './task-form.tsx'

/** A task for an agent, and beside it the run that comes of it. */
export function RunView({ agentId }: { agentId: string | null }) {
  const { agents, runner } = useDashboard()
  const { current } = runner
  const panel = useRef<HTMLElement>(null)
  const startedHere = useRef(false)

  useEffect(() => {
    if (startedHere.current) panel.current?.focus()
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
          key={agentId}
          agentId={agentId ?? current?.agentId ?? agents[0]?.id ?? ''}
          isBusy={current?.state === 'underway'}
          onRun={(agent, request) => {
            startedHere.current = true
            runner.start(agent, request)
          }}
        />
        <section ref={panel} class="stack run-side" tabIndex={-1} aria-label="The run">
          {current === null ? (
            <p class="panel note">
              The run shows here: its time against the limits, its steps as they come, then its result.
            </p>
          ) : (
            <CurrentRunPanel key={current.startedAt} run={current} onCancel={runner.cancel} />
          )}
        </section>
      </div>
    </Page>
  )
}
