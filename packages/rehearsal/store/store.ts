import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Redact } from '../redact.ts'
import { checkLog } from './check-log.ts'
import { lossIn, openDatabase, removed, salvage } from './database.ts'
import { type KeptRuns, runLog } from './run-log.ts'

export type Store = ReturnType<typeof openStore>

type Logs = ReturnType<typeof logsOf>

function logsOf(database: DatabaseSync, redact: Redact, kept: KeptRuns) {
  return { runs: runLog(database, redact, kept), checks: checkLog(database, redact) }
}

/**
 * Everything the platform stores. Secrets are removed before anything is written. If the disk is full, or the database is damaged,
 * removed, or can no longer be used, it goes on in memory, with the newest of what can still be read.
 *
 * @param file path of the database, or `:memory:`
 * @param onLoss receives why it goes on in memory, in a sentence that names the file
 * @throws {StartError} if it cannot be used, saying why
 */
export function openStore(file: string, redact: Redact, onLoss: (loss: string) => void = () => {}) {
  const kept: KeptRuns = { last: 0, underway: new Map() }
  const opened: DatabaseSync[] = []
  let logs: Logs | undefined
  let loss: string | null = null

  function open(path: string): DatabaseSync {
    const database = openDatabase(path)
    opened.push(database)
    return database
  }

  /** @throws the error, if it is no loss of the file */
  function goOnInMemory(error: unknown): void {
    const why = lossIn(error)
    if (why === undefined) throw error
    // Another call has found out before.
    if (loss !== null) return
    loss = `${file}: ${why} (${(error as Error).message}). Runs go on in memory, and are lost when the platform ends.`
    const [lost] = opened
    const memory = open(':memory:')
    if (lost) salvage(lost, memory)
    logs = logsOf(memory, redact, kept)
    onLoss(loss)
  }

  function attempt<Result>(act: () => Result): Result {
    const again = (error: unknown) => {
      goOnInMemory(error)
      return act()
    }
    try {
      if (loss === null && logs && file !== ':memory:' && !existsSync(file)) throw removed()
      const result = act()
      return result instanceof Promise ? (result.catch(again) as Result) : result
    } catch (error) {
      return again(error)
    }
  }

  /** The functions of a log, each of which goes on in memory if the file is lost. */
  function lasting<Part extends keyof Logs>(part: Part): Logs[Part] {
    const names = Object.keys(logs![part]) as (keyof Logs[Part])[]
    const call = (name: keyof Logs[Part], given: unknown[]) =>
      attempt(() => (logs![part][name] as (...given: unknown[]) => unknown)(...given))
    return Object.fromEntries(
      names.map(name => [name, (...given: unknown[]) => call(name, given)]),
    ) as Logs[Part]
  }

  attempt(() => {
    logs ??= logsOf(open(file), redact, kept)
    logs.runs.endGone()
    logs.checks.endGone()
  })
  return {
    runs: lasting('runs'),
    checks: lasting('checks'),
    /** Why it goes on in memory; null: it has the file. */
    get loss() {
      return loss
    },
    close(): void {
      for (const database of opened) database.close()
    },
  }
}
