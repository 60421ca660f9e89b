import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Figures, Stats } from '../api.ts'
import { medianOf, percentile } from '../figures.ts'

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

/** What to count: runs of one agent or all, of the last so many hours or all, of the checks, of others, or all. */
export interface StatsFilter {
  readonly agent?: string | undefined
  readonly hours?: number | undefined
  readonly byChecks?: boolean | undefined
}

/** @param now the end of the time looked at, where that is of so many hours */
export function readStats(database: DatabaseSync, { agent, hours, byChecks }: StatsFilter, now: Date): Stats {
  const conditions = ['at >= ?']
  const since = hours === undefined ? undefined : now.getTime() - hours * 3_600_000
  const values: SQLInputValue[] = [since ?? 0]
  if (agent !== undefined) {
    conditions.push('agent_id = ?')
    values.push(agent)
  }
  if (byChecks !== undefined) {
    conditions.push('by_checks = ?')
    values.push(Number(byChecks))
  }
  const select = database.prepare(
    `SELECT at, status, http_status, wall_ms, input_tokens, output_tokens, steps FROM runs
     WHERE ${conditions.join(' AND ')} ORDER BY at`,
  )
  // Less than half the time of objects.
  select.setReturnArrays(true)
  const rows = select.all(...values) as unknown as Row[]
  const until = hours === undefined ? rows.at(-1)?.[0] : now.getTime()
  return { ...figuresOf(rows), spans: spansOf(rows, since ?? rows[0]?.[0], until) }
}

/** The time looked at in equal spans: so many hours, or that from the oldest to the newest run. */
function spansOf(rows: readonly Row[], from = 0, until = 0): Stats['spans'] {
  if (rows.length === 0) return []
  const width = Math.max(1, Math.ceil((until + 1 - from) / SPANS))
  const spans: Row[][] = Array.from({ length: SPANS }, () => [])
  // A clock that was set back leaves runs of the future.
  for (const row of rows) spans[Math.min(SPANS - 1, Math.floor((row[0] - from) / width))]!.push(row)
  return spans.map((rowsOfSpan, index) => ({
    from: new Date(from + index * width).toISOString(),
    ...figuresOf(rowsOfSpan),
  }))
}

function figuresOf(rows: readonly Row[]): Figures {
  const timed = rows.filter(([, , httpStatus]) => TIMED.has(httpStatus))
  const times = timed.map(([, , , wallMs]) => wallMs)
  const hasTimes = times.length > 0
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
    p50Ms: hasTimes ? medianOf(times) : null,
    p95Ms: hasTimes ? percentile(times, 95) : null,
    inputTokens,
    outputTokens,
    steps,
  }
}
