import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { AgentChecks } from './agent-checks.tsx'

/** The acceptance checks of every agent: to start, and those that have been. */
export function ChecksView() {
  const { agents } = useDashboard()
  return (
    <Page title="Acceptance checks">
      <p class="lead">
        What the platform's curator looks at before an agent is accepted, done here beforehand.
      </p>
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
