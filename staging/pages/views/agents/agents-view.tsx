import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { RecentRuns } from '../history/recent-runs.tsx'
import { AgentCard } from './agent-card.tsx'

/** The start: every agent with its state, and what ran last. */
export function AgentsView() {
  const { agents } = useDashboard()
  return (
    <Page title="Agents">
      {agents === null ? (
        <Pending error={null} />
      ) : (
        <div class="stack wide">
          {agents.map(agent => (
            <AgentCard key={agent.id} agent={agent} />
          ))}
        </div>
      )}
      <RecentRuns />
    </Page>
  )
}
