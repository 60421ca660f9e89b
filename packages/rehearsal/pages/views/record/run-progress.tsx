import type { RunRecord } from '../../../api.ts'
import { RUN_P95_MS, RUN_TIMEOUT_MS } from '../../../limits.ts'
import { Badge } from '../../parts/badge.tsx'
import { Section } from '../../parts/page.tsx'
import { AgentText } from '../../parts/text.tsx'
import { useNow } from '../../state/dashboard.ts'
import { duration } from '../../state/format.ts'

const EVERY_MS = 100

/** In place of the result, until there is one: the time since the run began, and the answer as far as the model has written it. */
export function RunProgress({ record: { id, at }, answer }: { record: RunRecord; answer: string }) {
  const now = useNow(EVERY_MS)
  return (
    <Section title="Result" label={`Progress of run ${id}`} kind="result" aside={<Badge state="underway" />}>
      <TimeMeter elapsedMs={Math.max(0, now - Date.parse(at))} />
      <div class="coming">
        {answer === '' ? (
          <p class="note">The answer appears here as it comes, if the agent streams.</p>
        ) : (
          <AgentText text={answer} label="Output so far" kind="markdown" isGrowing />
        )}
      </div>
    </Section>
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
