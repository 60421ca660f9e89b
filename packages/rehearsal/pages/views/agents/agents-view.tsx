import type { AgentView, HealthCheck } from '../../../api.ts'
import { medianOf } from '../../../figures.ts'
import { Page } from '../../parts/page.tsx'
import { Inline, Moment } from '../../parts/text.tsx'
import { agentPath, api, useAction } from '../../state/api-client.ts'
import { duration, plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { RecentRuns } from '../history/run-list.tsx'
import { AgentList, AgentPanel } from './agent-panel.tsx'

/** The start page: every agent with its state, and the latest runs. */
export function AgentsView() {
  return (
    <Page title="Agents">
      <AgentList card={AgentCard} />
      <RecentRuns />
    </Page>
  )
}

/** One agent: its availability, its health checks and its actions. */
function AgentCard({ agent }: { agent: AgentView }) {
  const { id, name, url, state, checks, since, failuresInARow } = agent
  const lastCheck = checks.at(-1)
  const asking = useAction(() => api.post(agentPath(id, 'health')))
  return (
    <AgentPanel
      agent={agent}
      problem={asking.problem}
      note={
        <span class="note">
          {name !== null && (
            <>
              <Inline text={name} /> ·{' '}
            </>
          )}
          <Inline text={url} />
        </span>
      }
      actions={
        <>
          <a class="button" href={hrefOf(`run/${id}`)}>
            Run a task<span class="sr-only"> on {id}</span>
          </a>
          <button type="button" onClick={asking.run} disabled={asking.isBusy}>
            Check now<span class="sr-only">: the health of {id}</span>
          </button>
        </>
      }
    >
      {checks.length > 0 && <p class="note">{healthOf(checks)}</p>}
      <p class="note" role="status">
        {lastCheck === undefined
          ? 'Not checked yet'
          : lastCheck.ok
            ? `Answered in ${duration(lastCheck.latencyMs)}, `
            : `Failed${failuresInARow > 1 ? `, ${plural(failuresInARow, 'time')} in a row` : ''}: ${lastCheck.cause}, `}
        {lastCheck && <Moment at={lastCheck.at} />}
        {' · '}
        {state} since <Moment at={since} since />
      </p>
    </AgentPanel>
  )
}

/** How the agent answered the checks of two hours at most. */
function healthOf(checks: readonly HealthCheck[]): string {
  const latencies = checks.filter(({ ok }) => ok).map(({ latencyMs }) => latencyMs)
  const failed = checks.length - latencies.length
  const speed =
    latencies.length > 0 &&
    `answered in ${duration(medianOf(latencies))} (median), ${duration(Math.max(...latencies))} (slowest)`
  return [plural(checks.length, 'check'), `${failed} failed`, speed].filter(Boolean).join(', ')
}
