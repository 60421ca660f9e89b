import type { AgentView, CheckRun, Found } from '../../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Page, Pending } from '../../parts/page.tsx'
import { Inline, Moment, Worded } from '../../parts/text.tsx'
import { agentPath, usePoll } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { duration, plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { AgentList, AgentPanel } from '../agents/agent-panel.tsx'

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
        <CheckRows checks={data.checks} />
      )}
    </AgentPanel>
  )
}

/** Acceptance checks that the command line made of agents which this platform does not know. */
function OtherChecks() {
  const { agents } = useDashboard()
  const { data } = usePoll<CheckList>('/api/checks', () => EVERY_MS)
  const known = agents?.map(({ id }) => id) ?? []
  const others = data?.checks.filter(({ agentId }) => !known.includes(agentId)) ?? []
  if (agents === null || others.length === 0) return null
  return (
    <section class="panel stack" aria-labelledby="others">
      <h2 id="others">Other agents</h2>
      <CheckRows checks={others} isNamed />
    </section>
  )
}

/** @param isNamed whether each row names its agent */
function CheckRows({ checks, isNamed = false }: { checks: readonly CheckRun[]; isNamed?: boolean }) {
  return (
    <ul class="rows">
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
            <Moment at={check.startedAt} since />
            {tookOf(check)}
            {check.onCommandLine && <span class="tag">command line</span>}
          </p>
          <p class="excerpt">{check.found && <FoundText found={check.found} />}</p>
        </li>
      ))}
    </ul>
  )
}

function FoundText({ found: { hold, of, cause } }: { found: Found }) {
  return (
    <>
      {hold} of {plural(of, 'assertion')} hold
      {cause && (
        <>
          {'. '}
          <Worded text={cause} />
        </>
      )}
    </>
  )
}

function tookOf({ startedAt, finishedAt }: CheckRun): string {
  return finishedAt === null ? '' : `, took ${duration(Date.parse(finishedAt) - Date.parse(startedAt))}`
}
