import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useElapsed } from '../../state/elapsed.ts'
import { duration } from '../../state/format.ts'
import type { CurrentRun } from '../../state/runner.ts'
import { LiveSteps } from './live-steps.tsx'
import { RunResult } from './run-result.tsx'
import { TimeMeter } from './time-meter.tsx'

/** The run that this page has made: under way, then done. */
export function CurrentRunPanel({ run, onCancel }: { run: CurrentRun; onCancel: () => void }) {
  const { state, live, outcome, failure, agentId } = run
  const elapsedMs = useElapsed(run.startedAt, run.endedAt)
  const isUnderway = state === 'underway'
  return (
    <>
      <div class="panel stack">
        <div class="section-head">
          <h2>
            {isUnderway ? 'Under way on' : 'Run on'} <Inline text={agentId} />
          </h2>
          {isUnderway ? (
            <button type="button" onClick={onCancel}>
              Cancel
            </button>
          ) : (
            <Badge {...badgeOf(run)} />
          )}
        </div>
        <TimeMeter elapsedMs={elapsedMs} />
        <p class="sr-only" role="status">
          {announcementOf(run)}
        </p>
        {state === 'cancelled' && (
          <Notice tone="quiet">Cancelled after {duration(elapsedMs)}: the connection was closed.</Notice>
        )}
        {state === 'failed' && <Notice tone="bad">{failure}</Notice>}
        {live.warnings.length > 0 && (
          <ul class="warnings">
            {live.warnings.map((warning, index) => (
              <li key={index}>
                <Inline text={warning} />
              </li>
            ))}
          </ul>
        )}
        {live.steps.length > 0 && <LiveSteps steps={live.steps} isUnderway={isUnderway} />}
        {isUnderway && live.steps.length === 0 && <p class="note">Waiting for the agent…</p>}
      </div>
      {outcome && <RunResult outcome={outcome} isFresh />}
    </>
  )
}

function badgeOf({ state, outcome }: CurrentRun) {
  if (outcome) return { state: outcome.status }
  return state === 'cancelled' ? { state: 'unknown', word: 'cancelled' } : { state: 'failed' }
}

/** For a screen reader: what happened last, in a few words. */
function announcementOf({ state, live, outcome, failure }: CurrentRun): string {
  if (outcome) return `Finished: ${outcome.status} in ${duration(outcome.wallMs)}`
  if (state === 'cancelled') return 'The run is cancelled'
  if (state === 'failed') return `The run failed: ${failure}`
  return live.latest || 'The run is under way'
}
