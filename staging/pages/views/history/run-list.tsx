import type { RunSummary } from '../../../api.ts'
import { RUN_P95_MS } from '../../../limits.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { count, duration, plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'

/** Runs, each on a row whose link covers it. */
export function RunList({ runs, label }: { runs: readonly RunSummary[]; label: string }) {
  return (
    <ol class="panel runs" aria-label={label}>
      {runs.map(run => (
        <li key={run.id}>
          <Badge state={run.status} />
          <p class="excerpt">
            <a class="row-link" href={hrefOf(`runs/${run.id}`)}>
              <Inline text={run.input.trim() || '(no text)'} />
            </a>
          </p>
          <Took wallMs={run.wallMs} />
          <p class="note">
            Run {run.id} on <Inline text={run.agentId} />, <Moment at={run.at} />
            {run.byChecks && <span class="tag">checks</span>}
            {run.violations > 0 && <span class="tone-bad">{plural(run.violations, 'violation')}</span>}
          </p>
          <p class="note figures">
            {run.inputTokens !== null && `${count(run.inputTokens)} → ${count(run.outputTokens)} tokens`}
            {run.steps !== null && ` · ${plural(run.steps, 'step')}`}
          </p>
        </li>
      ))}
    </ol>
  )
}

/** How long a run took, marked where it is past the line for 95% of them. */
function Took({ wallMs }: { wallMs: number }) {
  const isLate = wallMs > RUN_P95_MS
  return (
    <span
      class={isLate ? 'took tone-warn' : 'took'}
      title={isLate ? `Past ${duration(RUN_P95_MS)}` : undefined}
    >
      {duration(wallMs)}
      {isLate && <span class="sr-only">, past {duration(RUN_P95_MS)}</span>}
    </span>
  )
}
