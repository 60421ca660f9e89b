import type { AgentView, StateChange, Timeline } from '../../../api.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useAction } from '../../state/action.ts'
import { agentPath, api } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { duration, plural } from '../../state/format.ts'
import { usePoll } from '../../state/poll.ts'
import { hrefOf } from '../../state/route.ts'
import { RecentRuns } from '../history/run-list.tsx'
import { AgentPanel } from './agent-panel.tsx'
import { TimelineChart } from './timeline-chart.tsx'

/** The start page: every agent with its state, and the latest runs. */
export function AgentsView() {
  const { agents } = useDashboard()
  return (
    <Page title="Agents">
      {agents === null ? (
        <Pending error={null} />
      ) : (
        <div class="stack">
          {agents.map(agent => (
            <AgentCard key={agent.id} agent={agent} />
          ))}
        </div>
      )}
      <RecentRuns />
    </Page>
  )
}

/** One agent: its availability, its health checks and its actions. */
function AgentCard({ agent }: { agent: AgentView }) {
  const { reloadAgents } = useDashboard()
  const { id, name, url, state, lastCheck, since, failuresInARow } = agent
  const path = agentPath(id, 'timeline')
  const { data: timeline } = usePoll<Timeline>(path, null, { revision: lastCheck?.at })
  const asking = useAction(() => api.post(agentPath(id, 'health')).then(reloadAgents))
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
          <a class="button" href={hrefOf(`run/${encodeURIComponent(id)}`)}>
            Run a task<span class="sr-only"> on {id}</span>
          </a>
          <button type="button" onClick={asking.run} disabled={asking.isBusy}>
            Check now<span class="sr-only">: the health of {id}</span>
          </button>
        </>
      }
    >
      {timeline && <TimelineChart agentId={id} checks={timeline.checks} />}
      <div class="row between">
        <p class="note" role="status">
          {lastCheck === null
            ? 'Not checked yet'
            : lastCheck.ok
              ? `Answered in ${duration(lastCheck.latencyMs)}, `
              : `Failed${failuresInARow > 1 ? `, ${plural(failuresInARow, 'time')} in a row` : ''}: ${lastCheck.cause}, `}
          {lastCheck && <Moment at={lastCheck.at} />}
          {' · '}
          {state} since <Moment at={since} since />
        </p>
        {timeline && <StateChanges changes={timeline.changes} />}
      </div>
    </AgentPanel>
  )
}

/** When and why the agent's availability changed, newest first. */
function StateChanges({ changes }: { changes: readonly StateChange[] }) {
  if (changes.length === 0) return null
  return (
    <details>
      <summary>{plural(changes.length, 'change')} of state</summary>
      <ul class="stack changes">
        {changes.toReversed().map(({ at, state, cause }) => (
          <li key={`${at} ${state}`} class="row">
            <Moment at={at} />
            <Badge state={state} />
            <Inline text={cause} />
          </li>
        ))}
      </ul>
    </details>
  )
}
