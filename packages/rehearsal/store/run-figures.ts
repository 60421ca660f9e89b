import type { DatabaseSync } from 'node:sqlite'
import type { ErrorKind, FiguresBucket, RunFigures, RunStatus } from '../api.ts'
import { percentile } from '../figures.ts'
import { ERROR_KIND, MATCHES, parametersOf, RUNS_BY_FIGURES, type RunFilter } from './run-filter.ts'

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS
const DAY_MS = 24 * HOUR_MS
/** How long a bucket may be; beyond the last, a multiple of it. */
const BUCKETS_MS = [
  ...[1, 5, 15, 60, 300, 900, 1800].map(seconds => seconds * SECOND_MS),
  ...[1, 3, 6, 12].map(hours => hours * HOUR_MS),
  ...[1, 7, 28].map(days => days * DAY_MS),
]
const MAX_BUCKETS = 60
const MAX_ERRORS = 8
/** Results kept until a record changes. */
const MAX_KEPT = 8

/** What an agent did: others say nothing of its speed. */
const ANSWERS: readonly RunStatus[] = ['success', 'error', 'timeout', 'violation']

const ROWS = `SELECT summary ->> 'at' AS at, summary ->> 'status' AS status, summary ->> 'wallMs' AS wallMs
  FROM ${RUNS_BY_FIGURES} WHERE ${MATCHES} ORDER BY summary ->> 'at'`

/** With `max`, the other columns are those of the latest run. */
const ERRORS = `SELECT summary ->> 'status' AS status, coalesce(summary ->> 'cause', summary ->> 'output') AS message,
  count(*) AS count, max(id) AS latest FROM ${RUNS_BY_FIGURES}
  WHERE ${MATCHES} AND summary ->> 'status' NOT IN ('success', 'underway', 'cancelled')
  GROUP BY summary ->> 'status', ${ERROR_KIND} ORDER BY count DESC, latest DESC LIMIT ${MAX_ERRORS}`

interface Row {
  readonly at: string
  readonly status: RunStatus
  readonly wallMs: number | null
}

/** The figures of the runs that match a filter; computed again only when something in the database has changed. */
export function figuresOf(database: DatabaseSync): (filter: RunFilter) => RunFigures {
  const kept = new Map<string, RunFigures>()
  let keptAt = -1

  return filter => {
    const { changes } = database.prepare('SELECT total_changes() AS changes').get() as { changes: number }
    if (changes !== keptAt) kept.clear()
    keptAt = changes
    const key = JSON.stringify(filter)
    const figures = kept.get(key) ?? compute(filter)
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(key, figures)
    return figures
  }

  function compute(filter: RunFilter): RunFigures {
    const parameters = parametersOf(filter)
    const rows = database.prepare(ROWS).all(parameters) as unknown as Row[]
    const errors = database.prepare(ERRORS).all(parameters) as unknown as ErrorKind[]
    return { ...summed(rows), ...inBuckets(rows, filter), errors }
  }
}

/** @param rows in the order of time */
function inBuckets(rows: readonly Row[], { from, to }: RunFilter) {
  if (rows.length === 0) return { bucketMs: 0, buckets: [] }
  const firstMs = Date.parse(from ?? rows[0]!.at)
  const endMs = to === undefined ? Date.parse(rows.at(-1)!.at) + 1 : Date.parse(to)
  const bucketMs = bucketFor(endMs - firstMs)
  // Days begin at midnight here.
  const shiftMs = new Date(firstMs).getTimezoneOffset() * 60_000
  const startMs = Math.floor((firstMs - shiftMs) / bucketMs) * bucketMs + shiftMs
  const inEach = Array.from({ length: Math.ceil((endMs - startMs) / bucketMs) }, (): Row[] => [])
  for (const row of rows) inEach[Math.floor((Date.parse(row.at) - startMs) / bucketMs)]!.push(row)
  const buckets = inEach.map(
    (rows, n): FiguresBucket => ({ at: new Date(startMs + n * bucketMs).toISOString(), ...summed(rows) }),
  )
  return { bucketMs, buckets }
}

function bucketFor(spanMs: number): number {
  const leastMs = spanMs / MAX_BUCKETS
  const longestMs = BUCKETS_MS.at(-1)!
  return BUCKETS_MS.find(ms => ms >= leastMs) ?? Math.ceil(leastMs / longestMs) * longestMs
}

function summed(rows: readonly Row[]) {
  const statuses: Partial<Record<RunStatus, number>> = {}
  for (const { status } of rows) statuses[status] = (statuses[status] ?? 0) + 1
  const times = rows.flatMap(({ status, wallMs }) =>
    wallMs !== null && ANSWERS.includes(status) ? wallMs : [],
  )
  const at = (share: number) => (times.length > 0 ? percentile(times, share) : null)
  return { runs: rows.length, statuses, p50Ms: at(50), p95Ms: at(95) }
}
