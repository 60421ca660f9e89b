import type { HealthCheck } from '../../../api.ts'
import { medianOf } from '../../../figures.ts'
import { HEALTH_TIMEOUT_MS } from '../../../limits.ts'
import { duration, moment, plural, visibleText } from '../../state/format.ts'

const MINUTE_MS = 60_000
/** Shortest time shown. */
const MIN_MS = 10 * MINUTE_MS
const WIDTH = 1000
const HEIGHT = 28
const MARK = 3

/** One mark per health check, for two hours at most. Height means latency; a failed check spans the full height. */
export function TimelineChart({ checks }: { checks: readonly HealthCheck[] }) {
  const until = Math.max(Date.now(), ...checks.map(({ at }) => Date.parse(at)))
  const spanMs = Math.max(MIN_MS, ...checks.map(({ at }) => until - Date.parse(at)))
  const summary = summaryOf(checks)
  return (
    <figure class="timeline">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Health: ${summary}`}
      >
        {checks.map(check => (
          <Mark
            key={check.at}
            check={check}
            x={(1 - (until - Date.parse(check.at)) / spanMs) * (WIDTH - MARK)}
          />
        ))}
      </svg>
      <figcaption>
        <span>{Math.round(spanMs / MINUTE_MS)} min ago</span>
        <span class="timeline-summary">{summary}</span>
        <span>now</span>
      </figcaption>
    </figure>
  )
}

function Mark({ check, x }: { check: HealthCheck; x: number }) {
  const height = heightOf(check.latencyMs)
  // A failed check looks like an exclamation mark.
  const path = check.ok
    ? `M${x} ${HEIGHT}v${-height}h${MARK}V${HEIGHT}z`
    : `M${x} 0h${MARK}v18h${-MARK}zM${x} 22h${MARK}v6h${-MARK}z`
  return (
    <path class={check.ok ? 'check-ok' : 'check-failed'} d={path}>
      <title>
        {moment(check.at)}:{' '}
        {check.ok ? `answered in ${duration(check.latencyMs)}` : `failed: ${visibleText(check.cause ?? '')}`}
      </title>
    </path>
  )
}

/** Logarithmic, so that 3 ms and 3 s are both readable. */
function heightOf(latencyMs: number): number {
  const share = Math.log1p(Math.min(latencyMs, HEALTH_TIMEOUT_MS)) / Math.log1p(HEALTH_TIMEOUT_MS)
  return Math.round(3 + share * (HEIGHT - 6))
}

function summaryOf(checks: readonly HealthCheck[]): string {
  const latencies = checks.filter(({ ok }) => ok).map(({ latencyMs }) => latencyMs)
  const failed = checks.length - latencies.length
  const slowest = Math.max(...latencies)
  const speed =
    latencies.length > 0 &&
    `answered in ${duration(medianOf(latencies))} (median), ${duration(slowest)} (slowest)`
  return [plural(checks.length, 'check'), `${failed} failed`, speed].filter(Boolean).join(', ')
}
