import type { AgentView, HealthPoll } from '../../../api.ts'
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

/** One agent: its availability, how it answered the polls of its health, and its actions. */
function AgentCard({ agent }: { agent: AgentView }) {
  const { id, name, url, state, polls, since, failuresInARow } = agent
  const lastPoll = polls.at(-1)
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
            Poll /health<span class="sr-only"> of {id}</span>
          </button>
        </>
      }
    >
      {polls.length > 0 && <p class="note">{healthOf(polls)}</p>}
      <p class="note" role="status">
        {lastPoll === undefined
          ? 'Not polled yet'
          : lastPoll.ok
            ? `Answered in ${duration(lastPoll.latencyMs)}, `
            : `Failed${failuresInARow > 1 ? `, ${plural(failuresInARow, 'time')} in a row` : ''}: ${lastPoll.cause}, `}
        {lastPoll && <Moment at={lastPoll.at} />}
        {' · '}
        {state} since <Moment at={since} since />
      </p>
    </AgentPanel>
  )
}

/** How the agent answered the polls of two hours at most. */
function healthOf(polls: readonly HealthPoll[]): string {
  const latencies = polls.filter(({ ok }) => ok).map(({ latencyMs }) => latencyMs)
  const failed = polls.length - latencies.length
  const speed =
    latencies.length > 0 &&
    `answered in ${duration(medianOf(latencies))} (median), ${duration(Math.max(...latencies))} (slowest)`
  return [`${plural(polls.length, 'poll')} of /health`, `${failed} failed`, speed].filter(Boolean).join(', ')
}
