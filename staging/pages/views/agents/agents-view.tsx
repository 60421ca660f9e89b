import type { AgentView } from '../../../api.ts'
import { Page } from '../../parts/page.tsx'
import { Inline, Moment } from '../../parts/text.tsx'
import { agentPath, api, useAction } from '../../state/api-client.ts'
import { duration, plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { RecentRuns } from '../history/run-list.tsx'
import { AgentList, AgentPanel } from './agent-panel.tsx'
import { TimelineChart } from './timeline-chart.tsx'

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
      <TimelineChart checks={checks} />
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
