import { fileURLToPath } from 'node:url'
import type { Report } from '../report.ts'
import { readTasks } from '../tasks/read-tasks.ts'
import type { Check, CheckGroup } from './check.ts'
import { end } from './groups/end.ts'
import { health } from './groups/health.ts'
import { input } from './groups/input.ts'
import { limits } from './groups/limits.ts'
import { logs } from './groups/logs.ts'
import { metrics } from './groups/metrics.ts'
import { result } from './groups/result.ts'
import { run } from './groups/run.ts'
import type { CheckOptions } from './options.ts'
import { reportBuilder } from './report-builder.ts'
import { Session } from './session/session.ts'

/** One for each of the curator's checks, one for the limits and one for the shutdown. */
export const groups: readonly CheckGroup[] = [health, run, result, input, metrics, limits, logs, end]

/** The tasks that ship with the rehearsal. */
export const SHIPPED_TASKS = fileURLToPath(new URL('../tasks/tasks.yaml', import.meta.url))

/**
 * Runs the acceptance checks against one agent. Never rejects because of what the agent does.
 *
 * @returns the finished report
 *
 * @example
 * const { verdict } = await runChecks({ url: 'http://localhost:8080', only: ['health', 'run'] })
 */
export async function runChecks(options: CheckOptions): Promise<Report> {
  const session = new Session(options, options.tasks ?? (await readTasks(SHIPPED_TASKS)))
  const sole = await soleCheck(session)
  const isMeant = ({ id }: Check) => sole === undefined || id === sole
  const chosen = groups
    .filter(({ id }) => sole !== undefined || (options.only?.includes(id) ?? true))
    .map(group => ({ group, checks: group.checks(session).filter(isMeant) }))
    // Given only a URL, some groups have nothing to check.
    .filter(({ checks }) => checks.length > 0)
  const { enter, look, finish } = reportBuilder(
    session,
    chosen.map(({ group }) => group),
  )
  for (const { group, checks } of chosen) {
    enter(group, 'underway')
    session.calls.tryAgain()
    for (const check of checks) {
      if (!session.calls.isRefused)
        await look(group, check, options.signal?.aborted ? session.calls.end : undefined)
    }
    enter(group, 'done')
    if (session.calls.isRefused) break
  }
  return finish()
}

/** The only assertion for an agent that cannot be reached. */
async function soleCheck({ calls, options }: Session): Promise<string | undefined> {
  if (options.notStarted !== undefined) return 'limits.start'
  if (calls.end !== undefined) return undefined
  const { failure } = await calls.health()
  return failure !== null && ['refused', 'dns'].includes(failure.kind) ? 'health.answers' : undefined
}
