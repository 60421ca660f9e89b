import type { AgentView } from '../../../api.ts'
import { Page, Section } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { AgentList, AgentPanel } from '../agents/agent-panel.tsx'
import { CheckRows, ChecksOf, useCheckList } from './check-rows.tsx'

/** Every agent's acceptance checks: starts new ones, lists earlier ones. */
export function ChecksView() {
  return (
    <Page title="Acceptance checks">
      <p class="note">What the platform's curator checks before accepting an agent. Run it here first.</p>
      <div class="stack">
        <AgentList card={AgentChecks} />
        <OtherChecks />
      </div>
    </Page>
  )
}

/** One agent's acceptance checks, newest first. */
function AgentChecks({ agent }: { agent: AgentView }) {
  return (
    <AgentPanel agent={agent}>
      <ChecksOf agentId={agent.id} />
    </AgentPanel>
  )
}

/** Acceptance checks that the command line made of agents which this platform does not know. */
function OtherChecks() {
  const { agents } = useDashboard()
  const { data } = useCheckList()
  const known = agents?.map(({ id }) => id) ?? []
  const others = data?.checks.filter(({ agentId }) => !known.includes(agentId)) ?? []
  if (agents === null || others.length === 0) return null
  return (
    <Section title="Other agents">
      <CheckRows checks={others} isNamed />
    </Section>
  )
}
