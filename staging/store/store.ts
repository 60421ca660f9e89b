import type { DatabaseSync } from 'node:sqlite'
import type { Redact } from '../redact.ts'
import { checkLog } from './check-log.ts'
import { openDatabase, transaction } from './database.ts'
import { readStats, type StatsFilter } from './figures.ts'
import { healthLog } from './health-log.ts'
import { runLog } from './run-log.ts'

export type Store = ReturnType<typeof openStore>

/**
 * Everything the platform stores. Secrets are removed before anything is written.
 *
 * @param file path of the database, or `:memory:`
 * @throws {DatabaseError} if it cannot be used, saying why
 */
export function openStore(file: string, redact: Redact) {
  const database = openDatabase(file)
  return {
    runs: runLog(database, redact),
    health: healthLog(database, redact),
    checks: checkLog(database, redact),
    stats: (filter: StatsFilter, now: Date) => readStats(database, filter, now),
    /** Deletes the runs and acceptance checks that began before then. */
    forget: (before: Date) => transaction(database, () => forget(database, before.getTime())),
    close: () => database.close(),
  }
}

function forget(database: DatabaseSync, before: number): void {
  const old = '(SELECT id FROM runs WHERE at < ?)'
  for (const statement of [
    `DELETE FROM run_search WHERE rowid IN ${old}`,
    `DELETE FROM run_texts WHERE run_id IN ${old}`,
    'DELETE FROM runs WHERE at < ?',
    "DELETE FROM check_runs WHERE started_at < ? AND state <> 'underway'",
  ]) {
    database.prepare(statement).run(before)
  }
}
