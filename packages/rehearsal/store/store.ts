import type { Redact } from '../redact.ts'
import { checkLog } from './check-log.ts'
import { openDatabase } from './database.ts'
import { runLog } from './run-log.ts'

export type Store = ReturnType<typeof openStore>

/**
 * Everything the platform stores. Secrets are removed before anything is written.
 *
 * @param file path of the database, or `:memory:`
 * @throws {StartError} if it cannot be used, saying why
 */
export function openStore(file: string, redact: Redact) {
  const database = openDatabase(file)
  return {
    runs: runLog(database, redact),
    checks: checkLog(database, redact),
    close: () => database.close(),
  }
}
