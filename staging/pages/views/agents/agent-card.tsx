import type { ComponentChildren } from 'preact'
import type { AgentView } from '../../../api.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { count, duration } from '../../state/format.ts'
import { usePoll } from '../../state/poll.ts'
import { hrefOf } from '../../state/route.ts'
import { useCheckStart } from '../checks/check-start.ts'
import { StateChanges } from './state-changes.tsx'
import { TimelineChart } from './timeline-chart.tsx'

/** One agent: whether it is there, what its health checks say, and what can be done with it. */
export function AgentCard({ agent }: { agent: AgentView }) {
  const { api } = useDashboard()
  const load = (signal: AbortSignal) => api.timeline(agent.id, signal)
  const { data: timeline } = usePoll(`timeline ${agent.id}`, null, load, agent.lastCheck?.at)
  const change = timeline?.changes.at(-1)
  const checks = useCheckStart(agent.id)
  const heading = `agent-${agent.id}`
  return (
    <article class="panel agent" aria-labelledby={heading}>
      <div class="agent-head">
        <h2 id={heading}>
          <Inline text={agent.id} />
        </h2>
        <Badge state={agent.state} />
        {agent.since && (
          <span class="note">
            since <Moment at={agent.since} since />
            {change?.state === agent.state && (
              <>
                : <Inline text={change.cause} />
              </>
            )}
          </span>
        )}
        <div class="actions">
          <a class="button" href={hrefOf(`run/${encodeURIComponent(agent.id)}`)}>
            Run a task<span class="sr-only"> on {agent.id}</span>
          </a>
          <button type="button" onClick={checks.start} disabled={checks.isStarting}>
            Acceptance checks<span class="sr-only"> of {agent.id}</span>
          </button>
        </div>
      </div>
      {checks.problem && <p class="problem">{checks.problem}</p>}
      <dl class="facts">
        <Fact name="Name">{agent.name === null ? '–' : <Inline text={agent.name} />}</Fact>
        <Fact name="Address">
          <Inline text={agent.url} />
        </Fact>
        <Fact name="Last check">
          {agent.lastCheck === null
            ? 'none yet'
            : agent.lastCheck.ok
              ? `answered in ${duration(agent.lastCheck.latencyMs)}`
              : (agent.lastCheck.cause ?? 'failed')}
        </Fact>
        <Fact name="Failures in a row">{count(agent.failuresInARow)}</Fact>
      </dl>
      {timeline && (
        <>
          <TimelineChart agentId={agent.id} checks={timeline.checks} />
          <StateChanges changes={timeline.changes} />
        </>
      )}
    </article>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
