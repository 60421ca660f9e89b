import type { ComponentChildren, FunctionComponent } from 'preact'
import type { AgentView } from '../../../api.ts'
import { Badge, Icon } from '../../parts/badge.tsx'
import { Pending } from '../../parts/page.tsx'
import { Inline } from '../../parts/text.tsx'
import { useChecks } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { hrefOf } from '../../state/route.ts'

/** Worst first. */
const ORDER = ['unavailable', 'failing', 'unknown', 'available']
const placeOf = (agent: AgentView) => ORDER.indexOf(stateOf(agent))

/** Every agent, each in a panel of the view's own; those that are down come first. */
export function AgentList({ card: Card }: { card: FunctionComponent<{ agent: AgentView }> }) {
  const { agents } = useDashboard()
  if (agents === null) return <Pending error={null} />
  return (
    <div class="stack">
      {agents
        .toSorted((one, other) => placeOf(one) - placeOf(other))
        .map(agent => (
          <Card key={agent.id} agent={agent} />
        ))}
    </div>
  )
}

/** Fewer failures in a row than make it unavailable are worth a look too. */
function stateOf({ state, failuresInARow }: AgentView): string {
  return state === 'available' && failuresInARow > 0 ? 'failing' : state
}

/** Of the runs in progress, the latest. */
const MAX_NAMED = 3

interface AgentPanelProps {
  readonly agent: AgentView
  /** Below the agent's name. */
  readonly note?: ComponentChildren
  /** In addition to the acceptance checks. */
  readonly actions?: ComponentChildren
  /** Why an action failed. */
  readonly problem?: string | null
  readonly children: ComponentChildren
}

/** One agent: its name and state, its actions, and what belongs to it. */
export function AgentPanel({ agent, note, actions, problem, children }: AgentPanelProps) {
  const { id, checking, underway } = agent
  const checks = useChecks(id)
  const heading = `agent-${id}`
  const shown = checks.problem ?? problem
  return (
    <article class="panel stack" aria-labelledby={heading}>
      <div class="row">
        <h2 id={heading}>
          <Inline text={id} />
        </h2>
        <Badge state={stateOf(agent)} />
        {underway.length > 0 && <Badge state="underway" word={`${underway.length} in flight`} />}
        {underway.slice(-MAX_NAMED).map(run => (
          <a key={run} href={hrefOf(`runs/${run}`)}>
            Run {run}
          </a>
        ))}
        <div class="row actions">
          {actions}
          {checking === null ? (
            <button type="button" class="small" onClick={checks.run} aria-disabled={checks.isBusy}>
              Run acceptance checks<span class="sr-only"> of {id}</span>
            </button>
          ) : (
            <a class="button small" href={hrefOf(`checks/${checking}`)}>
              <Icon name="spinner" />
              Acceptance checks in progress<span class="sr-only"> of {id}</span>
            </a>
          )}
        </div>
      </div>
      {note}
      {shown && (
        <p class="problem" role="alert">
          {shown}
        </p>
      )}
      {children}
    </article>
  )
}
