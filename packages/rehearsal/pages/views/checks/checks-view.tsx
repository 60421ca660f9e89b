import type { AgentView, CheckRun } from '../../../api.ts'
import { passedText } from '../../../report.ts'
import { Badge } from '../../parts/badge.tsx'
import { Pending, Section, ViewPage } from '../../parts/page.tsx'
import { Inline, TimeText, Worded } from '../../parts/text.tsx'
import { usePoll } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { took } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { AgentList, AgentPanel } from '../agents/agent-panel.tsx'

const EVERY_MS = 3000

/** The latest acceptance checks of a path, newest first. */
function useCheckList(path: string) {
  return usePoll<{ readonly checks: readonly CheckRun[] }>(path, () => EVERY_MS)
}

/** Every agent's acceptance checks: starts new ones, lists earlier ones. */
export function ChecksView() {
  return (
    <ViewPage title="Acceptance checks">
      <p class="note">What the platform's curator checks before accepting an agent. Run it here first.</p>
      <div class="stack">
        <AgentList card={AgentChecks} />
        <OtherChecks />
      </div>
    </ViewPage>
  )
}

/** One agent's acceptance checks, newest first. */
function AgentChecks({ agent }: { agent: AgentView }) {
  const { data, error } = useCheckList(`/api/agents/${agent.id}/checks`)
  return (
    <AgentPanel agent={agent}>
      {data === null && <Pending error={error} />}
      {data?.checks.length === 0 && <p class="note">Not checked yet.</p>}
      {data !== null && data.checks.length > 0 && <CheckRows checks={data.checks} />}
    </AgentPanel>
  )
}

/** Acceptance checks that the command line made of agents which this platform does not know. */
function OtherChecks() {
  const { agents } = useDashboard()
  const { data } = useCheckList('/api/checks')
  const known = agents?.map(({ id }) => id) ?? []
  const others = data?.checks.filter(({ agentId }) => !known.includes(agentId)) ?? []
  if (agents === null || others.length === 0) return null
  return (
    <Section title="Other agents">
      <CheckRows checks={others} isNamed />
    </Section>
  )
}

/** @param isNamed whether each row names its agent */
function CheckRows({ checks, isNamed = false }: { checks: readonly CheckRun[]; isNamed?: boolean }) {
  return (
    <ul class="lined rows">
      {checks.map(check => (
        <li key={check.id}>
          <Badge state={check.state} />
          <a href={hrefOf(`checks/${check.id}`)}>Checks {check.id}</a>
          <p class="note">
            {isNamed && (
              <>
                <Inline text={check.agentId} /> ·{' '}
              </>
            )}
            <TimeText at={check.startedAt} since />
            {tookOf(check)}
            {check.onCommandLine && <span class="tag">command line</span>}
          </p>
          <p class="excerpt">
            {check.found && passedText(check.found.hold, check.found.of)}
            {check.found?.cause && (
              <>
                {'. '}
                <Worded text={check.found.cause} />
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}

function tookOf({ startedAt, finishedAt }: CheckRun): string {
  return finishedAt === null ? '' : `, took ${took(Date.parse(finishedAt) - Date.parse(startedAt))}`
}
