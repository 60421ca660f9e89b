import type { DatabaseSync } from 'node:sqlite'
import type { RunSort, RunStatus } from '../api.ts'

/** Which runs; absent members mean all. */
export interface RunFilter {
  readonly agent?: string | undefined
  readonly status?: RunStatus | undefined
  /** Only runs by the acceptance checks, or only others. */
  readonly byChecks?: boolean | undefined
  /** Only runs of the acceptance checks with this number. */
  readonly check?: number | undefined
  /** Text in the task's id, the input or the output, ignoring case. */
  readonly text?: string | undefined
  /** Only runs that began at this time or later, as `toISOString` writes it. */
  readonly from?: string | undefined
  /** Only runs that began earlier. */
  readonly to?: string | undefined
  /** Only runs with the status and the kind of error of this one. */
  readonly like?: number | undefined
}

/** A page of them. */
export interface RunQuery extends RunFilter {
  readonly sort?: RunSort | undefined
  /** Only runs after this one, in the order asked for. */
  readonly after?: number | undefined
  /** In its place: only runs before this one, the nearest of them. */
  readonly before?: number | undefined
  readonly limit?: number | undefined
}

const BY_FIGURES = 'runs_by_summed_figures'

/** With what filters, orders and figures read, so that they need not read the summaries. Earlier versions had one without estimates. */
const INDEX = `DROP INDEX IF EXISTS runs_by_figures; CREATE INDEX IF NOT EXISTS ${BY_FIGURES} ON runs (
  summary ->> 'at', summary ->> 'agentId', summary ->> 'status', summary ->> 'byChecks', summary ->> 'wallMs',
  summary ->> 'inputTokens', summary ->> 'outputTokens', summary ->> 'steps', summary ->> 'costUsd',
  summary ->> 'costEstimated')`

/** All runs, read from the index. */
export const RUNS_BY_FIGURES = `runs INDEXED BY ${BY_FIGURES}`

/** A run's kind of error; records of earlier versions have no `cause`. */
export const ERROR_KIND = `error_kind(coalesce(summary ->> 'cause', summary ->> 'output'))`

/** Whether a run matches; its parameters are those of `parametersOf`. */
export const MATCHES = `(:agent IS NULL OR summary ->> 'agentId' = :agent)
  AND (:status IS NULL OR summary ->> 'status' = :status)
  AND (:byChecks IS NULL OR summary ->> 'byChecks' = :byChecks)
  AND (:check IS NULL OR summary ->> 'check' = :check)
  AND (:from IS NULL OR summary ->> 'at' >= :from) AND (:to IS NULL OR summary ->> 'at' < :to)
  AND (:text = '' OR instr(searched, :text) > 0)
  AND (:like IS NULL OR summary ->> 'status' = (SELECT summary ->> 'status' FROM runs WHERE id = :like)
    AND ${ERROR_KIND} = (SELECT ${ERROR_KIND} FROM runs WHERE id = :like))`

export function parametersOf(filter: RunFilter) {
  const { agent = null, status = null, byChecks, text = '', from = null, to = null } = filter
  const { check = null, like = null } = filter
  return {
    ...{ agent, status, check, from, to, like, text: text.toLowerCase() },
    byChecks: byChecks === undefined ? null : +byChecks,
  }
}

/** Runs that lack the figure come last. Equal ones: the newest first. The key ends with the number, so that every run has one place. */
function highest(figure: string) {
  return { runs: RUNS_BY_FIGURES, key: [`coalesce(${figure}, -1)`, 'id'], isDescending: true }
}

const ORDERS: Readonly<Record<RunSort, ReturnType<typeof highest>>> = {
  newest: { runs: 'runs', key: ['id'], isDescending: true },
  oldest: { runs: 'runs', key: ['id'], isDescending: false },
  slowest: highest(`summary ->> 'wallMs'`),
  tokens: highest(`summary ->> 'inputTokens' + summary ->> 'outputTokens'`),
  steps: highest(`summary ->> 'steps'`),
  cost: highest(`summary ->> 'costUsd'`),
}

/** What differs between errors of one kind: quoted values, and words with a digit, as numbers and ids are. */
const VARYING = /"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)|\S*\d\S*/g

/** Prepares a database for the queries of this file. */
export function prepareFilters(database: DatabaseSync): void {
  database.function('error_kind', { deterministic: true }, text => String(text).replace(VARYING, '…'))
  database.exec(INDEX)
}

/** The numbers of the runs that a query asks for, in its order. */
export function idsOf(database: DatabaseSync, query: RunQuery): number[] {
  const { sort = 'newest', after, before, limit = -1 } = query
  const { runs, key, isDescending } = ORDERS[sort]
  const isBackwards = before !== undefined
  const isDown = isDescending !== isBackwards
  const order = key.map(column => `${column} ${isDown ? 'DESC' : 'ASC'}`)
  const [beyond, first] = isDown ? ['<', 9e15] : ['>', 0]
  const isBeyond =
    key.length === 1
      ? `id ${beyond} coalesce(:place, ${first})`
      : `(:place IS NULL OR (${key}) ${beyond} (SELECT ${key} FROM runs WHERE id = :place))`
  const select = `SELECT id FROM ${runs} WHERE ${MATCHES} AND ${isBeyond} ORDER BY ${order} LIMIT :limit`
  const ids = database
    .prepare(select)
    .all({ ...parametersOf(query), place: before ?? after ?? null, limit })
    .map(({ id }) => Number(id))
  return isBackwards ? ids.reverse() : ids
}
