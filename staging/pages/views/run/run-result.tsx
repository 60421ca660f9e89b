import { AgentText, Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import type { Outcome } from '../../state/outcome.ts'
import { hrefOf } from '../../state/route.ts'
import { Exchange } from './exchange.tsx'
import { RunMetrics } from './run-metrics.tsx'
import { Violations } from './violations.tsx'

/** Everything there is to say of a finished run; of a fresh one, where it is recorded. */
export function RunResult({ outcome, isFresh = false }: { outcome: Outcome; isFresh?: boolean }) {
  const { status, httpStatus, output, error, broken, recordId, taskId } = outcome
  return (
    <section class="panel stack result" aria-label="Result">
      <div class="section-head">
        <h2>Result</h2>
        <span class="result-status">
          <Badge state={status} />
          <span class="note">HTTP {httpStatus}</span>
        </span>
      </div>
      {output !== '' && <AgentText text={output} label="Output" />}
      {error !== null && (
        <div class="tone-bad">
          <h3>Error</h3>
          <AgentText text={error} label="Error" />
        </div>
      )}
      {output === '' && error === null && <p class="note">The reply holds neither output nor error.</p>}
      <RunMetrics outcome={outcome} />
      <Violations broken={broken} />
      <Exchange outcome={outcome} />
      <p class="note">
        Task <Inline text={taskId} />
        {isFresh && recordId !== null && (
          <>
            {' · '}
            <a href={hrefOf(`runs/${recordId}`)}>Run {recordId} in the history</a>
          </>
        )}
      </p>
    </section>
  )
}
