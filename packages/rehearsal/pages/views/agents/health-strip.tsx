import type { HealthPoll } from '../../../api.ts'
import { medianOf } from '../../../figures.ts'
import { HEALTH_INTERVAL_MS, HEALTH_TIMEOUT_MS } from '../../../limits.ts'
import { duration, plural } from '../../state/format.ts'

const MINUTE_MS = 60_000
/** How far back the strip may reach; two hours are all that the platform keeps. */
const REACHES_MS = [10 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS, 120 * MINUTE_MS]
/** The scale is logarithmic, from here to the limit of a poll. */
const LEAST_MS = 1
const MARKS_MS = [1, 10, 100, 1000, HEALTH_TIMEOUT_MS]
const LABELS_MS = [LEAST_MS, 100, HEALTH_TIMEOUT_MS]
/** Of the drawing, in its own units: it takes the width that there is. */
const [WIDTH, HEIGHT] = [1000, 100]

/** How long each poll of `/health` took, on a scale that is the same for all agents; failed ones reach the top. Decorates words. */
export function HealthStrip({ polls }: { polls: readonly HealthPoll[] }) {
  const now = Date.now()
  const oldestMs = now - Date.parse(polls[0]!.at)
  const reachMs = REACHES_MS.find(reach => reach >= oldestMs) ?? REACHES_MS.at(-1)!
  const width = Math.max(2, (HEALTH_INTERVAL_MS / reachMs) * WIDTH * 0.6)
  return (
    <div class="health" aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {MARKS_MS.map(ms => (
          <line key={ms} x1="0" x2={WIDTH} y1={HEIGHT - heightOf(ms)} y2={HEIGHT - heightOf(ms)} />
        ))}
        {polls.map(({ at, ok, latencyMs }) => {
          const x = WIDTH * (1 - (now - Date.parse(at)) / reachMs) - width
          const height = ok ? Math.max(4, heightOf(latencyMs)) : HEIGHT
          return (
            <rect
              key={at}
              class={ok ? undefined : 'failed'}
              x={Math.max(0, x)}
              y={HEIGHT - height}
              {...{ width, height }}
            />
          )
        })}
      </svg>
      <div class="health-scale note">
        {LABELS_MS.map(ms => (
          <span key={ms} style={{ bottom: `${heightOf(ms)}%` }}>
            {duration(ms)}
          </span>
        ))}
      </div>
      <div class="health-times note">
        {[reachMs, reachMs / 2].map(ms => (
          <span key={ms}>{ago(ms)}</span>
        ))}
        <span>now</span>
      </div>
    </div>
  )
}

/** How an agent answered the polls of two hours at most. */
export function healthText(polls: readonly HealthPoll[]): string {
  const latencies = polls.filter(({ ok }) => ok).map(({ latencyMs }) => latencyMs)
  const failed = polls.length - latencies.length
  const speed =
    latencies.length > 0 &&
    `answered in ${duration(medianOf(latencies))} (median), ${duration(Math.max(...latencies))} (slowest)`
  return [`${plural(polls.length, 'poll')} of /health`, `${failed} failed`, speed].filter(Boolean).join(', ')
}

/** On the logarithmic scale, in the drawing's units. */
function heightOf(ms: number): number {
  const share = Math.log(Math.max(LEAST_MS, ms) / LEAST_MS) / Math.log(HEALTH_TIMEOUT_MS / LEAST_MS)
  return Math.min(1, share) * HEIGHT
}

function ago(ms: number): string {
  const minutes = ms / MINUTE_MS
  return minutes >= 60 ? `${minutes / 60} h ago` : `${minutes} min ago`
}
