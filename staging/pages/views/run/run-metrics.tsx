import { Tile } from '../../parts/tile.tsx'
import { count, duration } from '../../state/format.ts'
import type { Outcome } from '../../state/outcome.ts'

const LINE_MS = 30_000

/** What the agent reports, beside what is seen from outside. */
export function RunMetrics({ outcome: { metrics, wallMs } }: { outcome: Outcome }) {
  const reported = typeof metrics.duration_sec === 'number' ? metrics.duration_sec * 1000 : null
  return (
    <dl class="tiles">
      <Tile
        name="Wall clock"
        value={duration(wallMs)}
        note={wallMs > LINE_MS ? 'past the 30 s line' : 'within 30 s'}
        tone={wallMs > LINE_MS ? 'warn' : undefined}
      />
      <Tile name="Reported duration" value={duration(reported)} note={differenceOf(reported, wallMs)} />
      <Tile name="Input tokens" value={count(metrics.input_tokens)} />
      <Tile name="Output tokens" value={count(metrics.output_tokens)} />
      <Tile name="Steps" value={count(metrics.steps)} />
    </dl>
  )
}

function differenceOf(reportedMs: number | null, wallMs: number): string {
  if (reportedMs === null) return 'not reported'
  const difference = wallMs - reportedMs
  if (difference < 0) return `${duration(-difference)} longer than outside`
  return `${duration(difference)} less than outside`
}
