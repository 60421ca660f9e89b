import type { DatabaseSync } from 'node:sqlite'
import type { Stats } from '../api.ts'
import type { Redact } from '../redact.ts'
import { type CheckLog, checkLog } from './check-log.ts'
import { openDatabase, transaction } from './database.ts'
import { readStats, type StatsFilter } from './figures.ts'
import { type HealthLog, healthLog } from './health-log.ts'
import { type RunLog, runLog } from './run-log.ts'

/** What the platform remembers. Nothing gets in before its secrets are taken out. */
export interface Store {
  readonly runs: RunLog
  readonly health: HealthLog
  readonly checks: CheckLog
  stats(filter: StatsFilter, now: Date): Stats
  /** Forgets the runs and the acceptance checks that began before then. */
  forget(before: Date): void
  close(): void
}

/**
 * @param file path of the database, or `:memory:`
 * @throws {DatabaseError} where it cannot be used, saying why
 */
export function openStore(file: string, redact: Redact): Store {
  const database = openDatabase(file)
  return {
    runs: runLog(database, redact),
    health: healthLog(database, redact),
    checks: checkLog(database, redact),
    stats: (filter, now) => readStats(database, filter, now),
    forget: before => transaction(database, () => forget(database, before.getTime())),
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
