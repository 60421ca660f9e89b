import type { AgentView, CheckRun } from '../../../api.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useAction } from '../../state/action.ts'
import { agentPath, api } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { duration } from '../../state/format.ts'
import { usePoll } from '../../state/poll.ts'
import { go, hrefOf } from '../../state/route.ts'

/** Every agent's acceptance checks: starts new ones, lists earlier ones. */
export function ChecksView() {
  const { agents } = useDashboard()
  return (
    <Page title="Acceptance checks">
      <p class="lead">What the platform's curator checks before accepting an agent. Run it here first.</p>
      {agents === null ? (
        <Pending error={null} />
      ) : (
        <div class="stack wide">
          {agents.map(agent => (
            <AgentChecks key={agent.id} agent={agent} />
          ))}
        </div>
      )}
    </Page>
  )
}

const EVERY_MS = 3000

type CheckList = { readonly checks: readonly CheckRun[] }

/** One agent's acceptance checks, newest first. */
function AgentChecks({ agent: { id, state } }: { agent: AgentView }) {
  const { data, error } = usePoll<CheckList>(agentPath(id, 'checks'), EVERY_MS)
  const { run, isBusy, problem } = useCheckStart(id)
  const heading = `checks-${id}`
  return (
    <section class="panel stack" aria-labelledby={heading}>
      <div class="agent-head">
        <h2 id={heading}>
          <Inline text={id} />
        </h2>
        <Badge state={state} />
        <div class="actions">
          <button type="button" onClick={run} disabled={isBusy}>
            Run the checks<span class="sr-only"> of {id}</span>
          </button>
        </div>
      </div>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {data === null ? (
        <Pending error={error} />
      ) : data.checks.length === 0 ? (
        <p class="note">Not checked yet.</p>
      ) : (
        <ul class="check-runs">
          {data.checks.map(check => (
            <li key={check.id}>
              <a href={hrefOf(`checks/${check.id}`)}>Checks {check.id}</a>
              <Badge state={check.state} />
              <span class="note">
                <Moment at={check.startedAt} since />
                {tookOf(check)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function tookOf({ startedAt, finishedAt }: CheckRun): string {
  return finishedAt === null ? '' : `, took ${duration(Date.parse(finishedAt) - Date.parse(startedAt))}`
}

/** Starts an agent's acceptance checks and opens their page. */
export function useCheckStart(agentId: string) {
  return useAction(async () => {
    const { id } = await api.post<CheckRun>(agentPath(agentId, 'checks'))
    go(hrefOf(`checks/${id}`))
  })
}
