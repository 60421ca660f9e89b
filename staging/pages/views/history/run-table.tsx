import type { RunSummary } from '../../../api.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { count } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { Took } from './took.tsx'

/** The link in the first cell covers its whole row. */
export function RunTable({ runs, label }: { runs: readonly RunSummary[]; label: string }) {
  return (
    <div class="panel table-frame">
      <table class="runs" aria-label={label}>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Time</th>
            <th scope="col">Agent</th>
            <th scope="col">Task</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Took
            </th>
            <th scope="col" class="number">
              Tokens in
            </th>
            <th scope="col" class="number">
              Tokens out
            </th>
            <th scope="col" class="number">
              Steps
            </th>
            <th scope="col" class="number">
              Violations
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map(run => (
            <tr key={run.id}>
              <td>
                <a class="row-link" href={hrefOf(`runs/${run.id}`)}>
                  {run.id}
                </a>
              </td>
              <td class="nowrap">
                <Moment at={run.at} />
              </td>
              <td class="nowrap">
                <Inline text={run.agentId} />
              </td>
              <td class="excerpt">
                <Inline text={run.input} />
              </td>
              <td>
                <Badge state={run.status} />
              </td>
              <td class="number">
                <Took wallMs={run.wallMs} />
              </td>
              <td class="number">{count(run.inputTokens)}</td>
              <td class="number">{count(run.outputTokens)}</td>
              <td class="number">{count(run.steps)}</td>
              <td class={run.violations > 0 ? 'number tone-bad' : 'number'}>{count(run.violations)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
