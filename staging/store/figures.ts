import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Figures, Stats } from '../api.ts'

/** Points of a plot. */
const SPANS = 24
/** Answers that tell how long the agent takes: its own, broken ones, and those that did not come in time. */
const TIMED = new Set([200, 502, 504])

/** Of a run: time, status, HTTP status, wall time in milliseconds, input tokens, output tokens, steps. */
type Row = readonly [
  at: number,
  status: string,
  httpStatus: number,
  wallMs: number,
  inputTokens: number | null,
  outputTokens: number | null,
  steps: number | null,
]

/** What to count: runs of one agent or all, of the last so many hours or all. */
export interface StatsFilter {
  readonly agent?: string | undefined
  readonly hours?: number | undefined
}

/** @param now the end of the time looked at, where that is of so many hours */
export function readStats(database: DatabaseSync, { agent, hours }: StatsFilter, now: Date): Stats {
  const conditions = ['at >= ?']
  const values: SQLInputValue[] = [hours === undefined ? 0 : now.getTime() - hours * 3_600_000]
  if (agent !== undefined) {
    conditions.push('agent_id = ?')
    values.push(agent)
  }
  const select = database.prepare(
    `SELECT at, status, http_status, wall_ms, input_tokens, output_tokens, steps FROM runs
     WHERE ${conditions.join(' AND ')} ORDER BY at`,
  )
  // Less than half the time of objects.
  select.setReturnArrays(true)
  const rows = select.all(...values) as unknown as Row[]
  return { ...figuresOf(rows), spans: spansOf(rows) }
}

/** The time between the oldest and the newest run in equal spans. */
function spansOf(rows: readonly Row[]): Stats['spans'] {
  const oldest = rows[0]?.[0]
  if (oldest === undefined) return []
  const width = Math.max(1, Math.ceil((rows.at(-1)![0] + 1 - oldest) / SPANS))
  const spans: Row[][] = Array.from({ length: SPANS }, () => [])
  for (const row of rows) spans[Math.floor((row[0] - oldest) / width)]!.push(row)
  return spans.map((rowsOfSpan, index) => ({
    from: new Date(oldest + index * width).toISOString(),
    ...figuresOf(rowsOfSpan),
  }))
}

function figuresOf(rows: readonly Row[]): Figures {
  const timed = rows.filter(([, , httpStatus]) => TIMED.has(httpStatus))
  const times = Float64Array.from(timed, ([, , , wallMs]) => wallMs).sort()
  let [successes, inputTokens, outputTokens, steps] = [0, 0, 0, 0]
  for (const [, status, , , read, written, taken] of rows) {
    if (status === 'success') successes += 1
    inputTokens += read ?? 0
    outputTokens += written ?? 0
    steps += taken ?? 0
  }
  return {
    runs: rows.length,
    successShare: rows.length === 0 ? null : successes / rows.length,
    p50Ms: nearestRank(times, 0.5),
    p95Ms: nearestRank(times, 0.95),
    inputTokens,
    outputTokens,
    steps,
  }
}

function nearestRank(sorted: Float64Array, share: number): number | null {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null
}
