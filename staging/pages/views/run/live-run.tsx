import { RUN_P95_MS, RUN_TIMEOUT_MS } from '../../../limits.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useElapsed } from '../../state/elapsed.ts'
import { duration } from '../../state/format.ts'
import type { CurrentRun } from '../../state/runner.ts'
import { RunTimeline } from '../record/run-timeline.tsx'

/** The latest run from this page, until it has a record. */
export function LiveRun({ run, onCancel }: { run: CurrentRun; onCancel: () => void }) {
  const { agentId, task, startedAt, endedAt, steps, failure } = run
  const elapsedMs = useElapsed(startedAt, endedAt)
  const isUnderway = endedAt === null
  return (
    <>
      <div class="panel stack">
        <div class="section-head">
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
        <TimeMeter elapsedMs={elapsedMs} />
        {failure !== null && <Notice tone="bad">{failure}</Notice>}
        {isUnderway && steps.steps.length === 0 && <p class="note">Waiting for the agent…</p>}
      </div>
      <RunTimeline run={steps} isUnderway={isUnderway} />
    </>
  )
}

const END_SEC = RUN_TIMEOUT_MS / 1000
/** The limit for 95% of a marketplace agent's runs. */
const LINE_SEC = RUN_P95_MS / 1000
const MARKS = [1, 5, 10, LINE_SEC, 60, END_SEC]

/** Elapsed time against the two limits of a run. The square-root scale keeps seconds and minutes readable. */
function TimeMeter({ elapsedMs }: { elapsedMs: number }) {
  const seconds = elapsedMs / 1000
  const zone = seconds > END_SEC ? 'bad' : seconds > LINE_SEC ? 'warn' : 'accent'
  return (
    <div class={`meter tone-${zone}`}>
      <div class="meter-value">
        <span class="meter-time">{duration(elapsedMs)}</span>
        <span class="note">{wordsOf(seconds)}</span>
      </div>
      <div
        class="meter-track"
        role="progressbar"
        aria-label="Elapsed time"
        aria-valuemin={0}
        aria-valuemax={END_SEC}
        aria-valuenow={Math.min(END_SEC, Math.floor(seconds))}
        aria-valuetext={`${Math.floor(seconds)} seconds, ${wordsOf(seconds)}`}
      >
        <div class="meter-fill" style={{ width: `${positionOf(seconds)}%` }} />
        {[LINE_SEC, END_SEC].map(mark => (
          <div key={mark} class="meter-line" style={{ left: `${positionOf(mark)}%` }} />
        ))}
      </div>
      <div class="meter-scale" aria-hidden="true">
        {MARKS.map(mark => (
          <span
            key={mark}
            class={mark === LINE_SEC || mark === END_SEC ? 'limit' : ''}
            style={{ left: `${positionOf(mark)}%` }}
          >
            {mark} s
          </span>
        ))}
      </div>
    </div>
  )
}

function positionOf(seconds: number): number {
  return Math.sqrt(Math.min(seconds, END_SEC) / END_SEC) * 100
}

function wordsOf(seconds: number): string {
  if (seconds > END_SEC) return `past the limit of ${END_SEC} s`
  return seconds > LINE_SEC
    ? `past ${LINE_SEC} s, the limit for 95% of runs; the hard limit is ${END_SEC} s`
    : `of ${LINE_SEC} s, the limit for 95% of runs`
}
