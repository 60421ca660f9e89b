import type { AgentView } from '../../../api.ts'
import { Page } from '../../parts/page.tsx'
import { Inline, Moment } from '../../parts/text.tsx'
import { agentPath, api, useAction } from '../../state/api-client.ts'
import { duration, plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { ChecksOf } from '../checks/check-rows.tsx'
import { RecentRuns } from '../history/run-list.tsx'
import { AgentList, AgentPanel } from './agent-panel.tsx'
import { HealthStrip, healthText } from './health-strip.tsx'

/** The start page: every agent with its state, and the latest runs. */
export function AgentsView() {
  return (
    <Page title="Agents">
      <div class="split wide-first">
        <AgentList card={AgentCard} />
        <RecentRuns />
      </div>
    </Page>
  )
}

/** One agent: its availability, how it answered the polls of its health, and its actions. */
function AgentCard({ agent }: { agent: AgentView }) {
  const { id, name, url, polls } = agent
  const asking = useAction(() => api.post(agentPath(id, 'health')))
  return (
    <AgentPanel
      agent={agent}
      problem={asking.problem}
      note={
        <p class="note">
          {name !== null && (
            <>
              <Inline text={name} /> ·{' '}
            </>
          )}
          <Inline text={url} />
        </p>
      }
      actions={
        <>
          <a class="button" href={hrefOf(`run/${id}`)}>
            Run a task<span class="sr-only"> on {id}</span>
          </a>
          <button type="button" onClick={asking.run} aria-disabled={asking.isBusy}>
            Poll /health<span class="sr-only"> of {id}</span>
          </button>
        </>
      }
    >
      {polls.length > 0 && <HealthStrip polls={polls} />}
      <PollSummary agent={agent} />
      <div class="latest-checks">
        <ChecksOf agentId={id} most={1} />
      </div>
    </AgentPanel>
  )
}

/** How the agent answered the polls of its health, and the last one. */
function PollSummary({ agent: { polls, state, since, failuresInARow } }: { agent: AgentView }) {
  const last = polls.at(-1)
  const inARow = failuresInARow > 1 ? `, ${plural(failuresInARow, 'time')} in a row` : ''
  return (
    <div class="row between health-row note">
      {polls.length > 0 && <p>{healthText(polls)}</p>}
      <p role="status">
        {last === undefined ? (
          'Not polled yet'
        ) : last.ok ? (
          `Answered in ${duration(last.latencyMs)}, `
        ) : (
          <>
            Failed{inARow}: <Inline text={last.cause ?? ''} />,{' '}
          </>
        )}
        {last && <Moment at={last.at} />}
        {' · '}
        {state} since <Moment at={since} since />
      </p>
    </div>
  )
}
