import type { DatabaseSync } from 'node:sqlite'
import type { HealthCheck, StateChange, Timeline } from '../api.ts'
import type { Redact } from '../redact.ts'

/** How far back checks are kept, in milliseconds. */
const KEPT_MS = 2 * 3_600_000
const MAX_CHECKS = 240
const MAX_CHANGES = 1_000

/** The checks of the last two hours, and every change of state. */
export class HealthLog {
  readonly #database: DatabaseSync
  readonly #redact: Redact

  constructor(database: DatabaseSync, redact: Redact) {
    this.#database = database
    this.#redact = redact
  }

  /** Records a check, and forgets those of more than two hours before it. */
  addCheck(agentId: string, { at, ok, latencyMs, cause }: HealthCheck): void {
    const time = Date.parse(at)
    this.#database
      .prepare('INSERT INTO health_checks (agent_id, at, ok, latency_ms, cause) VALUES (?, ?, ?, ?, ?)')
      .run(agentId, time, Number(ok), latencyMs, cause === null ? null : this.#redact.text(cause))
    this.#database
      .prepare('DELETE FROM health_checks WHERE agent_id = ? AND at < ?')
      .run(agentId, time - KEPT_MS)
  }

  addChange(agentId: string, { at, state, cause }: StateChange): void {
    this.#database
      .prepare('INSERT INTO state_changes (agent_id, at, state, cause) VALUES (?, ?, ?, ?)')
      .run(agentId, Date.parse(at), state, this.#redact.text(cause))
  }

  timeline(agentId: string): Timeline {
    const checks = this.#database
      .prepare(
        `SELECT at, ok, latency_ms AS latencyMs, cause FROM health_checks
         WHERE agent_id = ? ORDER BY at DESC, id DESC LIMIT ?`,
      )
      .all(agentId, MAX_CHECKS) as unknown as Row<HealthCheck>[]
    const changes = this.#database
      .prepare('SELECT at, state, cause FROM state_changes WHERE agent_id = ? ORDER BY id DESC LIMIT ?')
      .all(agentId, MAX_CHANGES) as unknown as Row<StateChange>[]
    const timed = <Entry>({ at, ...entry }: Row<Entry>) => ({ ...entry, at: new Date(at).toISOString() })
    return {
      checks: checks.reverse().map(check => ({ ...timed(check), ok: Boolean(check.ok) })),
      changes: changes.reverse().map(timed),
    }
  }
}

type Row<Entry> = Omit<Entry, 'at'> & { readonly at: number }
