import type { DatabaseSync } from 'node:sqlite'
import type { HealthCheck, StateChange, Timeline } from '../api.ts'
import type { Redact } from '../redact.ts'

/** How far back checks are kept, in milliseconds. */
const KEPT_MS = 2 * 3_600_000
const MAX_CHECKS = 240
const MAX_CHANGES = 1_000

type Row<Entry> = Omit<Entry, 'at'> & { readonly at: number }

/** The checks of the last two hours, and every change of state. */
export function healthLog(database: DatabaseSync, redact: Redact) {
  return {
    /** Records a check and deletes those more than two hours older. */
    addCheck(agentId: string, { at, ok, latencyMs, cause }: HealthCheck): void {
      const time = Date.parse(at)
      database
        .prepare('INSERT INTO health_checks (agent_id, at, ok, latency_ms, cause) VALUES (?, ?, ?, ?, ?)')
        .run(agentId, time, Number(ok), latencyMs, cause === null ? null : redact.text(cause))
      database.prepare('DELETE FROM health_checks WHERE agent_id = ? AND at < ?').run(agentId, time - KEPT_MS)
    },

    addChange(agentId: string, { at, state, cause }: StateChange): void {
      database
        .prepare('INSERT INTO state_changes (agent_id, at, state, cause) VALUES (?, ?, ?, ?)')
        .run(agentId, Date.parse(at), state, redact.text(cause))
    },

    timeline(agentId: string): Timeline {
      const checks = database
        .prepare(
          `SELECT at, ok, latency_ms AS latencyMs, cause FROM health_checks
           WHERE agent_id = ? ORDER BY at DESC, id DESC LIMIT ?`,
        )
        .all(agentId, MAX_CHECKS) as unknown as Row<HealthCheck>[]
      const changes = database
        .prepare('SELECT at, state, cause FROM state_changes WHERE agent_id = ? ORDER BY id DESC LIMIT ?')
        .all(agentId, MAX_CHANGES) as unknown as Row<StateChange>[]
      const timed = <Entry>({ at, ...entry }: Row<Entry>) => ({ ...entry, at: new Date(at).toISOString() })
      return {
        checks: checks.reverse().map(check => ({ ...timed(check), ok: Boolean(check.ok) })),
        changes: changes.reverse().map(timed),
      }
    },
  }
}
