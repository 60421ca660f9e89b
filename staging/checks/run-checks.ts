import { fileURLToPath } from 'node:url'
import { readTasks } from '../tasks/read-tasks.ts'
import type { CheckGroup } from './check.ts'
import { health } from './groups/health.ts'
import { input } from './groups/input.ts'
import { limits } from './groups/limits.ts'
import { logs } from './groups/logs.ts'
import { metrics } from './groups/metrics.ts'
import { result } from './groups/result.ts'
import { run } from './groups/run.ts'
import type { CheckOptions } from './options.ts'
import { Recorder } from './recorder.ts'
import type { Report } from './report.ts'
import { Session } from './session/session.ts'

export type {
  CheckLimits,
  CheckOptions,
  GroupId,
  LogSource,
  PlatformAccess,
  StartedAgent,
} from './options.ts'

/** One for each of the curator's checks, and the limits. */
export const groups: readonly CheckGroup[] = [health, run, result, input, metrics, logs, limits]

/** The tasks that ship with the rehearsal. */
export const SHIPPED_TASKS = fileURLToPath(new URL('../tasks/tasks.yaml', import.meta.url))

/**
 * Runs the acceptance checks against one agent. Never rejects for what the agent does.
 *
 * @returns the finished report
 */
export async function runChecks(options: CheckOptions): Promise<Report> {
  const session = new Session(options, options.tasks ?? (await readTasks(SHIPPED_TASKS)))
  const chosen = groups.filter(({ id }) => options.only?.includes(id) ?? true)
  const recorder = new Recorder(session, chosen)
  const obstacle = await obstacleTo(session)
  for (const group of chosen) {
    recorder.begin(group)
    session.calls.tryAgain()
    for (const check of group.checks(session)) {
      const isFirst = group === health && check.id === 'health.answers'
      await recorder.look(group, check, session.calls.end ?? (isFirst ? undefined : obstacle))
    }
    recorder.end(group)
  }
  return recorder.finish()
}

/** Why nothing can be looked at, but that the agent does not answer. */
async function obstacleTo({ calls }: Session): Promise<string | undefined> {
  if (calls.end !== undefined) return calls.end
  const { failure } = await calls.health()
  if (failure === null || !['refused', 'dns'].includes(failure.kind)) return undefined
  return `the agent could not be reached: ${failure.message}`
}
