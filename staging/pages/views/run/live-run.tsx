import { Inline } from '../../parts/agent-text.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useElapsed } from '../../state/elapsed.ts'
import type { CurrentRun } from '../../state/runner.ts'
import { RunTimeline } from '../record/run-timeline.tsx'
import { TimeMeter } from './time-meter.tsx'

/** The run that this page has made, until it is on record. */
export function LiveRun({ run, onCancel }: { run: CurrentRun; onCancel: () => void }) {
  const { agentId, task, startedAt, endedAt, steps, failure } = run
  const elapsedMs = useElapsed(startedAt, endedAt)
  const isUnderway = endedAt === null
  return (
    <>
      <div class="panel stack">
        <div class="section-head">
          <h2>
            {isUnderway ? 'Under way on' : 'Not run on'} <Inline text={agentId} />
          </h2>
          {isUnderway && (
            <button type="button" onClick={onCancel}>
              Cancel
            </button>
          )}
        </div>
        <p class="excerpt">
          <Inline text={task} />
        </p>
        <TimeMeter elapsedMs={elapsedMs} />
        {failure !== null && <Notice tone="bad">{failure}</Notice>}
        {isUnderway && steps.steps.length === 0 && <p class="note">Waiting for the agent…</p>}
      </div>
      <RunTimeline run={steps} isUnderway={isUnderway} />
    </>
  )
}
