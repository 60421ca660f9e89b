import type { RunSummary } from '../../../api.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { count, plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { Took } from './took.tsx'

/** The same as the table, for a narrow screen. */
export function RunCards({ runs, label }: { runs: readonly RunSummary[]; label: string }) {
  return (
    <ul class="run-cards" aria-label={label}>
      {runs.map(run => (
        <li key={run.id} class="panel">
          <div class="run-card-head">
            <a class="row-link" href={hrefOf(`runs/${run.id}`)}>
              Run {run.id}
            </a>
            <Badge state={run.status} />
            <Took wallMs={run.wallMs} />
          </div>
          <p class="excerpt">
            <Inline text={run.input} />
          </p>
          <p class="note">
            <Moment at={run.at} /> · <Inline text={run.agentId} /> · {count(run.inputTokens)} →{' '}
            {count(run.outputTokens)} tokens · {run.steps === null ? '–' : plural(run.steps, 'step')}
          </p>
          {run.violations > 0 && (
            <p class="tone-bad">{plural(run.violations, 'violation')} of the contract</p>
          )}
        </li>
      ))}
    </ul>
  )
}
