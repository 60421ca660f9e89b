import type { Figures, RunSummary, Stats } from '../api.ts'
import { medianOf, percentile } from '../figures.ts'

const SPANS = 24
const MIN_WIDTH_MS = 60_000
/** Of runs that show the agent's speed: those with an answer, a broken one, or none in time. */
const TIMED = [200, 502, 504]

/**
 * @param until the end of the period; absent: the newest run
 */
export function statsOf(runs: readonly RunSummary[], until?: Date): Stats {
  if (runs.length === 0) return { ...figuresOf(runs), spans: [] }
  const times = runs.map(({ at }) => Date.parse(at))
  // From the oldest run, so that a new database has no empty spans.
  const from = times.reduce((oldest, time) => Math.min(oldest, time))
  const end = until?.getTime() ?? times.reduce((newest, time) => Math.max(newest, time))
  const width = Math.max(MIN_WIDTH_MS, Math.ceil((end + 1 - from) / SPANS))
  // After a clock is set back, there are runs in the future.
  const spanOf = (_run: unknown, index: number) =>
    Math.min(SPANS - 1, Math.floor((times[index]! - from) / width))
  const grouped = Object.groupBy(runs, spanOf)
  const spans = Array.from({ length: SPANS }, (_, span) => ({
    from: new Date(from + span * width).toISOString(),
    ...figuresOf(grouped[span] ?? []),
  }))
  return { ...figuresOf(runs), spans }
}

function figuresOf(runs: readonly RunSummary[]): Figures {
  const ms = runs.flatMap(({ httpStatus, wallMs }) => (TIMED.includes(httpStatus) ? wallMs : []))
  const [p50Ms, p95Ms] = ms.length > 0 ? [medianOf(ms), percentile(ms, 95)] : [null, null]
  const sum = (member: 'inputTokens' | 'outputTokens' | 'steps' | 'costUsd') =>
    runs.reduce((total, run) => total + (run[member] ?? 0), 0)
  const succeeded = runs.filter(({ status }) => status === 'success')
  return {
    runs: runs.length,
    successShare: runs.length === 0 ? null : succeeded.length / runs.length,
    ...{ p50Ms, p95Ms, inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') },
    steps: sum('steps'),
    costUsd: runs.every(({ costUsd }) => costUsd === null) ? null : sum('costUsd'),
    unpriced: runs.filter(({ costUsd, status }) => costUsd === null && status !== 'refused').length,
    costEstimated: runs.some(({ costEstimated }) => costEstimated),
  }
}
