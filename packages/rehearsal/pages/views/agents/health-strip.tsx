import type { HealthPoll } from '../../../api.ts'
import { medianOf } from '../../../figures.ts'
import { HEALTH_TIMEOUT_MS } from '../../../limits.ts'
import { Chart } from '../../parts/chart.tsx'
import type { ChartSeries } from '../../parts/plot.ts'
import { duration, inUnits, plural } from '../../state/format.ts'

const MINUTE_MS = 60_000
/** How far back the strip may reach; two hours are all that the platform keeps. */
const REACHES_MS = [10 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS, 120 * MINUTE_MS]
/** Failed polls are above the limit, however soon they failed. */
const FAILED_MS = HEALTH_TIMEOUT_MS * 1.15
const TOP_MS = HEALTH_TIMEOUT_MS * 1.3

/** How long each poll of `/health` took, on a scale that is the same for all agents. */
export function HealthStrip({ polls }: { polls: readonly HealthPoll[] }) {
  const times = polls.map(({ at }) => Date.parse(at))
  // The platform's clock may be ahead of the browser's.
  const now = Math.max(Date.now(), times.at(-1)!)
  const reachMs = REACHES_MS.find(reach => reach >= now - times[0]!) ?? REACHES_MS.at(-1)!
  const series: ChartSeries[] = [
    {
      ...{ name: 'answered', color: 'var(--good)', kind: 'dots' },
      values: polls.map(({ ok, latencyMs }) => (ok ? latencyMs : null)),
    },
    {
      ...{ name: 'failed', color: 'var(--bad)', kind: 'dots' },
      values: polls.map(({ ok }) => (ok ? null : FAILED_MS)),
    },
  ]
  const ago = [reachMs, reachMs / 2, 0]
  return (
    <div class="health">
      <Chart
        {...{ times, series }}
        label={`Polls of /health in the last ${inUnits(reachMs)}, by how long they took`}
        range={[now - reachMs, now]}
        topFor={() => TOP_MS}
        format={duration}
        limit={{ value: HEALTH_TIMEOUT_MS, label: `${duration(HEALTH_TIMEOUT_MS)}: a poll fails` }}
        marks={ago.map(ms => now - ms)}
        timeLabels={() => ago.map(ms => (ms === 0 ? 'now' : `${inUnits(ms)} ago`))}
      />
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
