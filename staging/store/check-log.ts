import type { DatabaseSync } from 'node:sqlite'
import type { CheckRun } from '../api.ts'
import type { Redact } from '../redact.ts'
import type { Report } from '../report.ts'

/** How the acceptance checks of an agent ended. */
interface CheckEnd {
  readonly state: Exclude<CheckRun['state'], 'underway'>
  /** Why they broke, or did not reach their end. */
  readonly cause?: string
  readonly report: Report | undefined
}

const COLUMNS = 'id, agent_id AS agentId, started_at AS startedAt, finished_at AS finishedAt, state, cause'

interface CheckRow extends Pick<CheckRun, 'id' | 'agentId' | 'state'> {
  readonly startedAt: number
  readonly finishedAt: number | null
  readonly cause: string | null
}

/** Every run of the acceptance checks, with its report. */
export function checkLog(database: DatabaseSync, redact: Redact) {
  function end(id: number, at: Date, { state, cause, report }: CheckEnd): void {
    const redacted = cause === undefined ? null : redact.text(cause)
    const stored = report === undefined ? null : JSON.stringify(redact.json(report))
    database
      .prepare('UPDATE check_runs SET state = ?, finished_at = ?, cause = ?, report = ? WHERE id = ?')
      .run(state, at.getTime(), redacted, stored, id)
  }

  function get(id: number): CheckRun | undefined {
    const row = database.prepare(`SELECT ${COLUMNS}, report FROM check_runs WHERE id = ?`).get(id)
    if (row === undefined) return undefined
    const { report, ...check } = row as unknown as CheckRow & { report: string | null }
    const { before } = database
      .prepare(
        `SELECT max(id) AS before FROM check_runs
         WHERE agent_id = ? AND id < ? AND state IN ('passed', 'failed', 'incomplete')`,
      )
      .get(check.agentId, id) as unknown as { before: number | null }
    return { ...toCheckRun(check), before, ...(report !== null && { report: JSON.parse(report) as Report }) }
  }

  // Checks of a process that has gone will never end.
  database.exec(
    `UPDATE check_runs SET state = 'broken', finished_at = started_at,
     cause = 'the platform stopped during the checks' WHERE state = 'underway'`,
  )

  return {
    begin(agentId: string, at: Date): CheckRun {
      const { lastInsertRowid } = database
        .prepare("INSERT INTO check_runs (agent_id, started_at, state) VALUES (?, ?, 'underway')")
        .run(agentId, at.getTime())
      return get(Number(lastInsertRowid))!
    },
    end,
    get,
    /** Newest first, without reports. */
    list(agentId: string): CheckRun[] {
      const rows = database
        .prepare(`SELECT ${COLUMNS} FROM check_runs WHERE agent_id = ? ORDER BY id DESC LIMIT 100`)
        .all(agentId) as unknown as CheckRow[]
      return rows.map(toCheckRun)
    },
  }
}

function toCheckRun({ startedAt, finishedAt, cause, ...check }: CheckRow): CheckRun {
  return {
    ...check,
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
    ...(cause !== null && { cause }),
  }
}
