import { useEffect, useState } from 'preact/hooks'
import { RUN_P95_MS, RUN_TIMEOUT_MS } from '../../../limits.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Notice } from '../../parts/notice.tsx'
import { duration } from '../../state/format.ts'
import type { CurrentRun } from '../../state/runner.ts'
import { RunTimeline } from '../record/run-timeline.tsx'

const EVERY_MS = 100

/** The latest run from this page, until it has a record. */
export function LiveRun({ run, onCancel }: { run: CurrentRun; onCancel: () => void }) {
  const { agentId, task, startedAt, endedAt, steps, failure } = run
  const isUnderway = endedAt === null
  const [now, setNow] = useState(startedAt)
  useEffect(() => {
    if (!isUnderway) return
    const timer = setInterval(() => setNow(performance.now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [isUnderway])
  return (
    <>
      <div class="panel stack">
        <div class="row between">
          <h2>
            {isUnderway ? 'Running on' : 'Did not run on'} <Inline text={agentId} />
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
        <TimeMeter elapsedMs={(endedAt ?? now) - startedAt} />
        {failure !== null && <Notice tone="bad">{failure}</Notice>}
        {isUnderway && steps.steps.length === 0 && <p class="note">Waiting for the agent…</p>}
      </div>
      <RunTimeline run={steps} isUnderway={isUnderway} />
    </>
  )
}

/** Elapsed time against the limits of a run. */
function TimeMeter({ elapsedMs }: { elapsedMs: number }) {
  const isLate = elapsedMs > RUN_P95_MS
  const limits = `${duration(RUN_P95_MS)} is the limit for 95% of runs, ${duration(RUN_TIMEOUT_MS)} for all`
  return (
    <div class={isLate ? 'tone-warn' : 'tone-accent'}>
      <p>
        <span class="time">{duration(elapsedMs)}</span> <span class="note">{limits}</span>
      </p>
      <progress aria-label="Elapsed time" max={RUN_TIMEOUT_MS} value={Math.min(elapsedMs, RUN_TIMEOUT_MS)} />
    </div>
  )
}
