import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { ErrorKind, FiguresBucket, RunFigures, RunStatus } from '../api.ts'
import { percentile, sumOf } from '../figures.ts'
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
const MAX_KEPT = 64

/** What an agent did: others say nothing of its speed. */
const ANSWERS: ReadonlySet<RunStatus> = new Set(['success', 'error', 'timeout', 'violation'])

/** So many runs are read at once; then whatever waits has its turn, such as the clock of a run. */
const PART = 500

/** After a time, where a part of the runs ends; the next begins there. */
const PART_END = `SELECT summary ->> 'at' AS at FROM ${RUNS_BY_FIGURES} WHERE summary ->> 'at' > :begin
  ORDER BY summary ->> 'at' LIMIT 1 OFFSET ${PART}`
const IN_PART = `summary ->> 'at' >= :begin AND summary ->> 'at' < :end AND ${MATCHES}`

/** As columns in JSON: a third of what rows take. */
const COLUMNS = `SELECT json_group_array(at) AS at, json_group_array(status) AS status, json_group_array(wallMs) AS wallMs,
    json_group_array(tokens) AS tokens, json_group_array(costUsd) AS costUsd, json_array(max(costEstimated)) AS costEstimated
  FROM (SELECT summary ->> 'at' AS at, summary ->> 'status' AS status, summary ->> 'wallMs' AS wallMs,
      coalesce(summary ->> 'inputTokens', 0) + coalesce(summary ->> 'outputTokens', 0) AS tokens,
      summary ->> 'costUsd' AS costUsd, summary ->> 'costEstimated' AS costEstimated
    FROM ${RUNS_BY_FIGURES} WHERE ${IN_PART} ORDER BY summary ->> 'at')`

/** With `max`, the other columns are those of the latest run. */
const ERRORS = `SELECT summary ->> 'status' AS status, coalesce(summary ->> 'cause', summary ->> 'output') AS message,
  count(*) AS count, max(id) AS latest, summary ->> 'status' || ${ERROR_KIND} AS kind FROM ${RUNS_BY_FIGURES}
  WHERE ${IN_PART} AND summary ->> 'status' NOT IN ('success', 'underway', 'cancelled') GROUP BY kind`

interface ErrorsInPart extends ErrorKind {
  readonly kind: string
}

/** Of some runs, in the order of time. */
interface Columns {
  readonly at: readonly string[]
  readonly status: readonly RunStatus[]
  readonly wallMs: readonly (number | null)[]
  /** 0 where none are reported. */
  readonly tokens: readonly number[]
  readonly costUsd: readonly (number | null)[]
  /** Whether one of a part is estimated. */
  readonly costEstimated: readonly (0 | 1 | null)[]
}

/** The figures of the runs that match a filter; computed again only when something in the database has changed. */
export function runFigures(database: DatabaseSync): (filter: RunFilter) => Promise<RunFigures> {
  const kept = new Map<string, Promise<RunFigures>>()
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

  async function compute(filter: RunFilter): Promise<RunFigures> {
    const [partEnd, columnsIn, errorsIn] = [PART_END, COLUMNS, ERRORS].map(sql => database.prepare(sql))
    const parameters = parametersOf(filter)
    const columns: Columns = { at: [], status: [], wallMs: [], tokens: [], costUsd: [], costEstimated: [] }
    const errors: ErrorsInPart[] = []
    const last = filter.to ?? '~'
    for (let begin = filter.from ?? '', end: string; begin < last; begin = end) {
      end = String(partEnd!.get({ begin })?.at ?? last)
      const part = { ...parameters, begin, end }
      for (const [name, values] of Object.entries(columnsIn!.get(part)!))
        (columns[name as keyof Columns] as unknown[]).push(...JSON.parse(String(values)))
      errors.push(...(errorsIn!.all(part) as unknown as ErrorsInPart[]))
      await setImmediate()
    }
    const all = summed(columns, 0, columns.at.length)
    await setImmediate()
    const costEstimated = columns.costEstimated.includes(1)
    return { ...all, costEstimated, ...inBuckets(columns, filter), errors: mostFrequent(errors) }
  }
}

function mostFrequent(errors: readonly ErrorsInPart[]): ErrorKind[] {
  return [...Map.groupBy(errors, ({ kind }) => kind).values()]
    .map(alike => {
      const { status, message, latest } = alike.reduce((a, b) => (a.latest > b.latest ? a : b))
      return { status, message, count: sumOf(alike.map(({ count }) => count)), latest }
    })
    .sort((a, b) => b.count - a.count || b.latest - a.latest)
    .slice(0, MAX_ERRORS)
}

function inBuckets(columns: Columns, { from, to }: RunFilter) {
  const { at } = columns
  if (at.length === 0) return { bucketMs: 0, buckets: [] }
  const firstMs = Date.parse(from ?? at[0]!)
  const endMs = to === undefined ? Date.parse(at.at(-1)!) + 1 : Date.parse(to)
  const bucketMs = bucketFor(endMs - firstMs)
  // Days begin at midnight here.
  const shiftMs = new Date(firstMs).getTimezoneOffset() * 60_000
  const startMs = Math.floor((firstMs - shiftMs) / bucketMs) * bucketMs + shiftMs
  const buckets: FiguresBucket[] = []
  let taken = 0
  for (let ms = startMs; ms < endMs; ms += bucketMs) {
    const next = new Date(ms + bucketMs).toISOString()
    const begin = taken
    // Times in this form are in the order of their text.
    while (taken < at.length && at[taken]! < next) taken += 1
    buckets.push({ at: new Date(ms).toISOString(), ...summed(columns, begin, taken) })
  }
  return { bucketMs, buckets }
}

function bucketFor(spanMs: number): number {
  const leastMs = spanMs / MAX_BUCKETS
  const longestMs = BUCKETS_MS.at(-1)!
  return BUCKETS_MS.find(ms => ms >= leastMs) ?? Math.ceil(leastMs / longestMs) * longestMs
}

/** The figures of the runs from one place to another. */
function summed({ status, wallMs, ...columns }: Columns, begin: number, end: number) {
  const statuses: Partial<Record<RunStatus, number>> = {}
  const answered: number[] = []
  let tokens = 0
  let costUsd: number | null = null
  for (let n = begin; n < end; n += 1) {
    const one = status[n]!
    const ms = wallMs[n]!
    statuses[one] = (statuses[one] ?? 0) + 1
    if (ms !== null && ANSWERS.has(one)) answered.push(ms)
    tokens += columns.tokens[n]!
    const usd = columns.costUsd[n]!
    if (usd !== null) costUsd = (costUsd ?? 0) + usd
  }
  // Sorted once: what is in order is sorted again in no time.
  const times = Float64Array.from(answered).sort()
  const at = (share: number) => (times.length > 0 ? percentile(times, share) : null)
  return { runs: end - begin, statuses, p50Ms: at(50), p95Ms: at(95), tokens, costUsd }
}
