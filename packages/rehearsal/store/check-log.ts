import type { DatabaseSync } from 'node:sqlite'
import type { CheckRun, Found } from '../api.ts'
import type { Redact } from '../redact.ts'
import { assertionsIn, type Report } from '../report.ts'

const FINISHED = `SELECT summary FROM check_runs WHERE summary ->> 'agentId' = :agentId AND id < :before
  AND summary ->> 'state' IN ('passed', 'failed', 'incomplete') ORDER BY id DESC LIMIT 1`

const LIST = `SELECT summary FROM check_runs
  WHERE :agentId IS NULL OR summary ->> 'agentId' = :agentId ORDER BY id DESC LIMIT 100`

type CheckEnd = Pick<CheckRun, 'state' | 'cause' | 'report'>

/** Every run of the acceptance checks, with its report. */
export function checkLog(database: DatabaseSync, redact: Redact) {
  function get(id: number): CheckRun | undefined {
    const row = database.prepare('SELECT summary, report FROM check_runs WHERE id = ?').get(id)
    if (row === undefined) return undefined
    const check: CheckRun = JSON.parse(String(row.summary))
    const before = finishedOf(check.agentId, id)?.id ?? null
    return { ...check, before, ...(row.report !== null && { report: JSON.parse(String(row.report)) }) }
  }

  /** An agent's last finished checks before others, without the report; null if there are none. */
  function finishedOf(agentId: string, before = Number.MAX_SAFE_INTEGER): CheckRun | null {
    const row = database.prepare(FINISHED).get({ agentId, before })
    return row ? JSON.parse(String(row.summary)) : null
  }

  /**
   * Newest first, without reports, at most 100.
   *
   * @param agentId absent: of all agents
   */
  function list(agentId: string | null = null): CheckRun[] {
    const rows = database.prepare(LIST).all({ agentId })
    return rows.map(({ summary }) => JSON.parse(String(summary)))
  }

  function save({ report, ...check }: CheckRun): void {
    database
      .prepare('INSERT OR REPLACE INTO check_runs (id, summary, report) VALUES (?, ?, ?)')
      .run(
        check.id,
        JSON.stringify(redact.json(check)),
        report === undefined ? null : JSON.stringify(redact.json(report)),
      )
  }

  function add(check: Omit<CheckRun, 'id'>): CheckRun {
    const { last } = database.prepare('SELECT coalesce(max(id), 0) AS last FROM check_runs').get()!
    const id = Number(last) + 1
    save({ ...check, id })
    return get(id)!
  }

  return {
    /** Ends the checks of a process that has gone: by themselves they never will. */
    endGone(): void {
      database.exec(
        `UPDATE check_runs SET summary = json_set(summary, '$.state', 'broken', '$.finishedAt', summary ->> 'startedAt',
         '$.cause', 'the platform stopped during the checks') WHERE summary ->> 'state' = 'underway'`,
      )
    },

    get,
    list,
    finishedOf,
    begin: (agentId: string, at: Date) =>
      add({ agentId, startedAt: at.toISOString(), finishedAt: null, state: 'underway' }),
    end(id: number, at: Date, end: CheckEnd): void {
      const { before: _, ...check } = get(id)!
      save({ ...check, finishedAt: at.toISOString(), ...end, found: end.report && found(end.report) })
    },
    /** Adds checks that were run on the command line. */
    addReport(agentId: string, report: Report): CheckRun {
      const { startedAt, finishedAt, verdict } = report
      const state = verdict ?? 'incomplete'
      return add({
        ...{ agentId, startedAt, finishedAt, state, onCommandLine: true, report },
        found: found(report),
      })
    },
  }
}

function found({ groups, cause }: Report): Found {
  const all = assertionsIn(groups)
  return { hold: all.filter(({ verdict }) => verdict === 'pass').length, of: all.length, cause }
}
