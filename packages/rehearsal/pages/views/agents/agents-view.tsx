import type { AgentView } from '../../../api.ts'
import { ViewPage } from '../../parts/page.tsx'
import { Inline, TimeText } from '../../parts/text.tsx'
import { api, useAction } from '../../state/api-client.ts'
import { duration, plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { RecentRuns } from '../history/run-list.tsx'
import { AgentFigures } from './agent-figures.tsx'
import { AgentList, AgentPanel } from './agent-panel.tsx'

/** The start page: every agent with its state and its figures, and the latest runs. */
export function AgentsView() {
  return (
    <ViewPage title="Agents" aside={<span class="note">People's runs of the last 24 hours</span>}>
      <div class="stack">
        <AgentList card={AgentRow} />
        <RecentRuns />
      </div>
    </ViewPage>
  )
}

/** One agent: its availability, its actions, and what there is to decide on. */
function AgentRow({ agent }: { agent: AgentView }) {
  const { id, name, url } = agent
  const asking = useAction(() => api.post(`/api/agents/${id}/health`))
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
          <Inline text={url} /> · <LastPoll agent={agent} />
        </p>
      }
      actions={
        <>
          <a class="button small" href={hrefOf(`run/${id}`)}>
            Run a task<span class="sr-only"> on {id}</span>
          </a>
          <button type="button" class="small" onClick={asking.run} aria-disabled={asking.isBusy}>
            Poll /health<span class="sr-only"> of {id}</span>
          </button>
        </>
      }
    >
      <AgentFigures agent={agent} />
    </AgentPanel>
  )
}

/** How the agent answered the last poll of its health. */
function LastPoll({ agent: { polls, state, since, failuresInARow } }: { agent: AgentView }) {
  const last = polls.at(-1)
  const inARow = failuresInARow > 1 ? `, ${plural(failuresInARow, 'time')} in a row` : ''
  return (
    <span role="status">
      {last === undefined ? (
        'Not polled yet'
      ) : last.ok ? (
        `Answered in ${duration(last.latencyMs)}, `
      ) : (
        <span class="tone-bad">
          Failed{inARow}: <Inline text={last.cause ?? ''} />,{' '}
        </span>
      )}
      {last && <TimeText at={last.at} />}
      {' · '}
      {state} since <TimeText at={since} since />
    </span>
  )
}
