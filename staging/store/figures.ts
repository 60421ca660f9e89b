import type { DatabaseSync } from 'node:sqlite'
import type { Figures, Stats } from '../api.ts'
import { medianOf, percentile } from '../figures.ts'

/** Points of a plot. */
const SPANS = 24
const MIN_WIDTH_MS = 60_000

/** `times` covers runs that show the agent's speed: those with an answer, a broken one, or none in time. */
const FIGURES = `count(*) AS runs, avg(status = 'success') AS successShare,
  json_group_array(wall_ms) FILTER (WHERE http_status IN (200, 502, 504)) AS times,
  coalesce(sum(input_tokens), 0) AS inputTokens, coalesce(sum(output_tokens), 0) AS outputTokens,
  coalesce(sum(steps), 0) AS steps, sum(cost_usd) AS costUsd,
  count(*) FILTER (WHERE cost_usd IS NULL AND status <> 'refused') AS unpriced,
  coalesce(max(cost_estimated), 0) AS costEstimated`

type Row = Omit<Figures, 'p50Ms' | 'p95Ms' | 'costEstimated'> & {
  readonly times: string
  readonly costEstimated: number
}
const NONE: Row = {
  ...{ runs: 0, successShare: null, times: '[]', inputTokens: 0, outputTokens: 0, steps: 0 },
  ...{ costUsd: null, unpriced: 0, costEstimated: 0 },
}

/** Which runs to count: by agent, by age and by who made them; absent members mean all. */
export interface StatsFilter {
  readonly agent?: string | undefined
  readonly hours?: number | undefined
  readonly byChecks?: boolean | undefined
}

/** @param now the end of the period, if `hours` is given */
export function readStats(database: DatabaseSync, { agent, hours, byChecks }: StatsFilter, now: Date): Stats {
  const filter = {
    since: hours === undefined ? 0 : now.getTime() - hours * 3_600_000,
    agent: agent ?? null,
    byChecks: byChecks === undefined ? null : +byChecks,
  }
  const select = <Columns>(columns: string, grouping = '') =>
    database
      .prepare(
        `SELECT ${columns}, ${FIGURES} FROM runs WHERE at >= :since
         AND agent_id = coalesce(:agent, agent_id) AND by_checks = coalesce(:byChecks, by_checks) ${grouping}`,
      )
      .all(filter) as unknown as (Row & Columns)[]
  const [whole] = select<{ oldest: number; newest: number }>('min(at) AS oldest, max(at) AS newest')
  const { oldest, newest, ...all } = whole!
  if (all.runs === 0) return { ...figuresOf(all), spans: [] }

  // From the oldest run, so that a new database has no empty spans.
  const from = oldest
  const until = hours === undefined ? newest : now.getTime()
  const width = Math.max(MIN_WIDTH_MS, Math.ceil((until + 1 - from) / SPANS))
  // After a clock is set back, there are runs in the future.
  const index = `min(${SPANS - 1}, (at - ${from}) / ${width}) AS span`
  const spans = Array<Row>(SPANS).fill(NONE)
  for (const { span, ...row } of select<{ span: number }>(index, 'GROUP BY span')) spans[span] = row
  const startOf = (span: number) => new Date(from + span * width).toISOString()
  return {
    ...figuresOf(all),
    spans: spans.map((row, span) => ({ from: startOf(span), ...figuresOf(row) })),
  }
}

function figuresOf({ times, costEstimated, ...figures }: Row): Figures {
  const ms = JSON.parse(times) as number[]
  const [p50Ms, p95Ms] = ms.length > 0 ? [medianOf(ms), percentile(ms, 95)] : [null, null]
  return { ...figures, p50Ms, p95Ms, costEstimated: costEstimated === 1 }
}
