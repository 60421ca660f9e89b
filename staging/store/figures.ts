import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Figures, Stats } from '../api.ts'

/** Points of a plot. */
const SPANS = 24
/** Answers that tell how long the agent takes: its own, broken ones, and those that did not come in time. */
const TIMED = new Set([200, 502, 504])

interface Row {
  readonly at: number
  readonly status: string
  readonly http_status: number
  readonly wall_ms: number
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly steps: number | null
}

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
  const rows = database
    .prepare(
      `SELECT at, status, http_status, wall_ms, input_tokens, output_tokens, steps FROM runs
       WHERE ${conditions.join(' AND ')} ORDER BY at`,
    )
    .all(...values) as unknown as Row[]
  return { ...figuresOf(rows), spans: spansOf(rows) }
}

/** The time between the oldest and the newest run in equal spans. */
function spansOf(rows: readonly Row[]): Stats['spans'] {
  const oldest = rows[0]?.at
  if (oldest === undefined) return []
  const width = Math.max(1, Math.ceil((rows.at(-1)!.at + 1 - oldest) / SPANS))
  const spans: Row[][] = Array.from({ length: SPANS }, () => [])
  for (const row of rows) spans[Math.floor((row.at - oldest) / width)]!.push(row)
  return spans.map((rowsOfSpan, index) => ({
    from: new Date(oldest + index * width).toISOString(),
    ...figuresOf(rowsOfSpan),
  }))
}

function figuresOf(rows: readonly Row[]): Figures {
  const times = rows.filter(row => TIMED.has(row.http_status)).map(row => row.wall_ms)
  times.sort((a, b) => a - b)
  const successes = rows.filter(({ status }) => status === 'success').length
  return {
    runs: rows.length,
    successShare: rows.length === 0 ? null : successes / rows.length,
    p50Ms: nearestRank(times, 0.5),
    p95Ms: nearestRank(times, 0.95),
    inputTokens: sum(rows, 'input_tokens'),
    outputTokens: sum(rows, 'output_tokens'),
    steps: sum(rows, 'steps'),
  }
}

function nearestRank(sorted: readonly number[], share: number): number | null {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null
}

function sum(rows: readonly Row[], column: 'input_tokens' | 'output_tokens' | 'steps'): number {
  return rows.reduce((total, row) => total + (row[column] ?? 0), 0)
}
