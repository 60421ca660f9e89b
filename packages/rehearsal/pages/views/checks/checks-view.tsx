import type { AgentView, CheckRun } from '../../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Page, Pending } from '../../parts/page.tsx'
import { Moment } from '../../parts/text.tsx'
import { agentPath, usePoll } from '../../state/api-client.ts'
import { duration } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { AgentList, AgentPanel } from '../agents/agent-panel.tsx'

/** Every agent's acceptance checks: starts new ones, lists earlier ones. */
export function ChecksView() {
  return (
    <Page title="Acceptance checks">
      <p class="note">What the platform's curator checks before accepting an agent. Run it here first.</p>
      <AgentList card={AgentChecks} />
    </Page>
  )
}

const EVERY_MS = 3000

type CheckList = { readonly checks: readonly CheckRun[] }

/** One agent's acceptance checks, newest first. */
function AgentChecks({ agent }: { agent: AgentView }) {
  const { data, error } = usePoll<CheckList>(agentPath(agent.id, 'checks'), () => EVERY_MS)
  return (
    <AgentPanel agent={agent}>
      {data === null ? (
        <Pending error={error} />
      ) : data.checks.length === 0 ? (
        <p class="note">Not checked yet.</p>
      ) : (
        <ul class="stack">
          {data.checks.map(check => (
            <li key={check.id} class="row">
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
    </AgentPanel>
  )
}

function tookOf({ startedAt, finishedAt }: CheckRun): string {
  return finishedAt === null ? '' : `, took ${duration(Date.parse(finishedAt) - Date.parse(startedAt))}`
}
