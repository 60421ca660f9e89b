import { meansUnreachable } from '../agents/exchange.ts'
import type { Report } from '../report.ts'
import { readTasks, SHIPPED_TASKS } from '../tasks/read-tasks.ts'
import { BESIDE } from './beside.ts'
import type { Check, CheckGroup } from './check.ts'
import { end } from './groups/end.ts'
import { health } from './groups/health.ts'
import { input } from './groups/input.ts'
import { limits } from './groups/limits.ts'
import { logs } from './groups/logs.ts'
import { metrics } from './groups/metrics.ts'
import { result } from './groups/result.ts'
import { run } from './groups/run.ts'
import { type ChosenGroup, loadOf } from './load.ts'
import type { CheckOptions } from './options.ts'
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
    .map(group => ({
      group,
      checks: group.checks(session).map(one => ({ besideRuns: BESIDE[one.id], ...one })),
    }))
    // Given only a URL, some groups have nothing to check.
    .filter(({ checks }) => checks.length > 0)
  const asked = all.filter(({ group }) => options.only?.includes(group.id) ?? true)
  const { choose, enter, run, record, finish } = reportBuilder(session, asked)
  const sole = await soleCheck(session)
  const chosen = sole === undefined ? asked : only(sole, all)
  choose(chosen)
  const ofChecks = loadOf(chosen, session)
  // The first run included.
  const load = { ...ofChecks, alone: 1 + ofChecks.alone }
  for (const { group, checks } of chosen) {
    enter(group, 'underway')
    await group.before?.(session).catch(() => {})
    // Of an agent that cannot be reached, or refuses runs, the checks say so.
    if (sole === undefined) await session.begin(load).catch(() => {})
    session.calls.tryAgain()
    const examine = (check: Check, isBeside = false) =>
      run(check, options.signal?.aborted ? session.calls.end : undefined, isBeside)
    let isOver = false
    for await (const [check, outcome] of examined(checks, session, examine)) {
      await record(group, check, outcome)
      isOver = session.isOver && outcome.result.verdict !== 'pass'
      if (isOver) break
    }
    enter(group, 'done')
    if (isOver) break
  }
  return finish()
}

/** One check, with its group. */
function only(checkId: string, all: readonly ChosenGroup[]): ChosenGroup[] {
  return all
    .map(({ group, checks }) => ({ group, checks: checks.filter(({ id }) => id === checkId) }))
    .filter(({ checks }) => checks.length > 0)
}

/**
 * What is seen of each check of a group: first of those that may run beside others, then of those that have the agent to
 * themselves. One that fails beside others is made again alone, and so is one in which a run ended with an error: a model
 * has one now and then.
 */
async function* examined(
  checks: readonly Check[],
  session: Session,
  examine: (check: Check, isBeside?: boolean) => Promise<CheckOutcome>,
): AsyncGenerator<[Check, CheckOutcome]> {
  const again = async (check: Check, outcome: CheckOutcome): Promise<CheckOutcome> => {
    if (outcome.result.verdict === 'pass' || session.isOver || !outcome.hadError) return outcome
    outcome.forget()
    const next = await examine(check)
    return next.result.verdict === 'pass' ? next : outcome
  }
  const together = checks.filter(({ besideRuns }) => besideRuns !== undefined)
  const areBeside = together.length > 1 && session.atOnce > 1
  // The longest begin first, so that none is left when all others have ended.
  const inOrder = together.toSorted((a, b) => b.besideRuns! - a.besideRuns!)
  const jobs = new Jobs(inOrder, check => examine(check, areBeside))
  if (areBeside) jobs.goAhead(session.atOnce)
  for (const check of together) {
    const outcome = await jobs.get(check)
    if (areBeside && outcome.result.verdict === 'fail') {
      await jobs.rest()
      outcome.forget()
      yield [check, await again(check, await examine(check))]
    } else yield [check, await again(check, outcome)]
  }
  for (const check of checks)
    if (check.besideRuns === undefined) yield [check, await again(check, await examine(check))]
}

/** The only assertion for an agent that cannot be reached. */
async function soleCheck({ calls, options }: Session): Promise<string | undefined> {
  if (options.notStarted !== undefined) return 'limits.start'
  if (calls.end !== undefined) return undefined
  // The checks say why, if there is no answer to judge.
  const failure = await calls.health().then(
    exchange => exchange.failure,
    () => null,
  )
  return failure !== null && meansUnreachable(failure) ? 'health.answers' : undefined
}
