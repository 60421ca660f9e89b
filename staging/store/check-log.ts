import type { DatabaseSync } from 'node:sqlite'
import type { CheckRun } from '../api.ts'
import type { Redact } from '../redact.ts'
import type { Report } from '../report.ts'

/** How the acceptance checks of an agent ended. */
export interface CheckEnd {
  readonly state: Exclude<CheckRun['state'], 'underway'>
  /** Why they broke. */
  readonly cause?: string
  readonly report: Report | undefined
}

/** Every time that the acceptance checks were run, with their reports. */
export class CheckLog {
  readonly #database: DatabaseSync
  readonly #redact: Redact

  constructor(database: DatabaseSync, redact: Redact) {
    this.#database = database
    this.#redact = redact
    this.#breakOff()
  }

  begin(agentId: string, at: Date): CheckRun {
    const { lastInsertRowid } = this.#database
      .prepare(
        "INSERT INTO check_runs (agent_id, started_at, state, process_id) VALUES (?, ?, 'underway', ?)",
      )
      .run(agentId, at.getTime(), process.pid)
    return this.get(Number(lastInsertRowid))!
  }

  end(id: number, at: Date, { state, cause, report }: CheckEnd): void {
    const told = cause === undefined ? null : this.#redact.text(cause)
    const stored = report === undefined ? null : JSON.stringify(this.#redact.json(report))
    this.#database
      .prepare('UPDATE check_runs SET state = ?, finished_at = ?, cause = ?, report = ? WHERE id = ?')
      .run(state, at.getTime(), told, stored, id)
  }

  get(id: number): CheckRun | undefined {
    const row = this.#database.prepare('SELECT * FROM check_runs WHERE id = ?').get(id) as
      | CheckRow
      | undefined
    if (row === undefined) return undefined
    return { ...toCheckRun(row), ...(row.report !== null && { report: JSON.parse(row.report) as Report }) }
  }

  /** Newest first, without reports. */
  list(agentId: string): CheckRun[] {
    const rows = this.#database
      .prepare(
        `SELECT id, agent_id, started_at, finished_at, state, cause FROM check_runs
         WHERE agent_id = ? ORDER BY id DESC LIMIT 100`,
      )
      .all(agentId) as unknown as CheckRow[]
    return rows.map(toCheckRun)
  }

  /** What was under way in a process that is no more will never end. */
  #breakOff(): void {
    const underway = this.#database
      .prepare("SELECT id, started_at, process_id FROM check_runs WHERE state = 'underway'")
      .all() as unknown as { id: number; started_at: number; process_id: number }[]
    for (const { id, started_at, process_id } of underway) {
      if (process_id !== process.pid && isAlive(process_id)) continue
      const cause = 'the platform ended while the checks were under way'
      this.end(id, new Date(started_at), { state: 'broken', cause, report: undefined })
    }
  }
}

interface CheckRow {
  readonly id: number
  readonly agent_id: string
  readonly started_at: number
  readonly finished_at: number | null
  readonly state: CheckRun['state']
  readonly cause: string | null
  readonly report: string | null
}

function toCheckRun({ id, agent_id, started_at, finished_at, state, cause }: CheckRow): CheckRun {
  return {
    id,
    agentId: agent_id,
    startedAt: new Date(started_at).toISOString(),
    finishedAt: finished_at === null ? null : new Date(finished_at).toISOString(),
    state,
    ...(cause !== null && { cause }),
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
