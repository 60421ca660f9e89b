import { isUnreachable } from '../agents/exchange.ts'
import type { Report } from '../report.ts'
import { readTasks, SHIPPED_TASKS } from '../tasks/read-tasks.ts'
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
import { plantSecrets } from './parts/planted-secrets.ts'
import { type CheckOutcome, reportBuilder } from './report-builder.ts'
import { Jobs } from './session/jobs.ts'
import { Session } from './session/session.ts'

/** One for each of the curator's checks, one for the limits and one for the shutdown. */
export const groups: readonly CheckGroup[] = [health, run, result, input, metrics, limits, logs, end]

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
  const all = groups
    .map(group => ({ group, checks: group.checks(session) }))
    // Given only a URL, some groups have nothing to check.
    .filter(({ checks }) => checks.length > 0)
  const asked = all.filter(({ group }) => options.only?.includes(group.id) ?? true)
  const { enter, run, record, finish } = reportBuilder(
    session,
    asked.map(({ group }) => group),
  )
  const sole = await soleCheck(session)
  const chosen = sole === undefined ? asked : only(sole, all)
  for (const { group, checks } of chosen) {
    // Lines may follow seconds later: what is checked in between need not wait for them.
    if (group === metrics && chosen.some(other => other.group === logs))
      await session.once(plantSecrets).catch(() => {})
    enter(group, 'underway')
    session.calls.tryAgain()
    const examine = (check: Check) => run(check, options.signal?.aborted ? session.calls.end : undefined)
    for (const stretch of stretches(checks))
      for await (const [check, outcome] of examined(stretch, session, examine))
        await record(group, check, outcome)
    enter(group, 'done')
    if (session.isOver) break
  }
  return finish()
}

interface ChosenGroup {
  readonly group: CheckGroup
  readonly checks: readonly Check[]
}

/** One check, with its group. */
function only(checkId: string, all: readonly ChosenGroup[]): ChosenGroup[] {
  return all
    .map(({ group, checks }) => ({ group, checks: checks.filter(({ id }) => id === checkId) }))
    .filter(({ checks }) => checks.length > 0)
}

/** The checks in order: those in a row that may run beside each other together, any other alone. */
function stretches(checks: readonly Check[]): Check[][] {
  const all: Check[][] = []
  for (const check of checks) {
    const last = all.at(-1)
    if (check.isIndependent && last?.at(-1)?.isIndependent) last.push(check)
    else all.push([check])
  }
  return all
}

/** What is seen of each check of a stretch, in order. One that fails beside others is made again alone. */
async function* examined(
  stretch: readonly Check[],
  session: Session,
  examine: (check: Check) => Promise<CheckOutcome>,
): AsyncGenerator<[Check, CheckOutcome]> {
  const jobs = new Jobs(stretch, examine)
  const areBeside = stretch.length > 1 && session.atOnce > 1
  if (areBeside) jobs.goAhead(session.atOnce)
  for (const check of stretch) {
    if (session.isOver) return
    const outcome = await jobs.get(check)
    if (areBeside && outcome.result.verdict === 'fail') {
      await Promise.all(stretch.map(other => jobs.get(other)))
      yield [check, await examine(check)]
    } else yield [check, outcome]
  }
}

/** The only assertion for an agent that cannot be reached. */
async function soleCheck({ calls, options }: Session): Promise<string | undefined> {
  if (options.notStarted !== undefined) return 'limits.start'
  if (calls.end !== undefined) return undefined
  const { failure } = await calls.health()
  return failure !== null && isUnreachable(failure) ? 'health.answers' : undefined
}
