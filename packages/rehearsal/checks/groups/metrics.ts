import type { Metrics } from '@agent-task-service/wire/contract'
import { inSeconds, sumOf } from '../../figures.ts'
import { advice, type Check, type CheckGroup, check } from '../check.ts'
import { COUNTED, type Measured, measured, regression, successes } from '../parts/regression.ts'
import { platformTotals } from '../parts/staging-route.ts'
import { inTurn, toolless } from '../parts/subject.ts'
import { trendIn } from '../parts/trend.ts'
import { expectNoneAgain, repeats } from '../parts/variation.ts'
import { type CheckedRun, taskKeyOf, violationsOf } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, NotRun, OutOfSight } from '../verdicts.ts'

/** How far a reported duration may exceed the one measured from outside: enough for rounding, not for another clock. */
const DURATION_MARGIN_SEC = 0.1
/** Some report no less than this. */
const HIGHEST_FLOOR_SEC = 1
/** So many runs may have the least duration that an agent reports. */
const LEAST_RUNS = 3
/** Runs of one task that show whether its metrics may rise or fall, and more that show it surely. */
const TREND_RUNS = 8
const MORE_TREND_RUNS = 16
/** A cap that no task of a file reaches. */
const AMPLE = 1_000

export const metrics: CheckGroup = {
  id: 'metrics',
  title: 'Metrics reach the orchestrator',
  load: () => ({ alone: 2, beside: 0 }),
  checks: session => [
    ...ofEachRun(session),
    ...ofRunsCompared(session),
    // What all runs show, when all have come.
    ...regression(session),
    platformTotals(session),
  ],
}

function ofEachRun(session: Session): Check[] {
  const each = (
    name: string,
    title: string,
    problemOf: (metrics: Metrics, run: CheckedRun) => string | false | undefined,
  ): Check =>
    check(`metrics.${name}`, title, async () => {
      for (const { run, metrics } of await measured(session)) {
        session.seen = [run]
        const problem = problemOf(metrics, run)
        if (problem) throw new Failed(problem)
      }
    })
  return [
    check(
      'metrics.filled',
      'Every successful run reports duration_sec, input_tokens, output_tokens and steps, with the right types',
      async () => {
        for (const run of await successes(session)) {
          session.seen = [run]
          expectNone(violationsOf(run).metrics)
        }
      },
    ),
    ...COUNTED.map(name =>
      each(name, `${name} of a successful run is at least 1`, (metrics, run) => {
        if (metrics[name] >= 1) return undefined
        // A repeated task may come from a cache, and cost nothing.
        const isFree = session.isRepeat(run) || (name === 'output_tokens' && run.reply.output === '')
        return !isFree && `expected ${name} of at least 1, got ${metrics[name]}`
      }),
    ),
    each(
      'not_the_cap',
      'output_tokens are those of the run, not its max_tokens',
      ({ output_tokens }, { request, reply }) =>
        output_tokens === request.config?.max_tokens &&
        // Under less, it may have been cut after thoughts and calls of tools.
        output_tokens >= AMPLE &&
        reply.output !== '' &&
        output_tokens > 10 * String(reply.output).length &&
        `expected the tokens of ${JSON.stringify(reply.output)}, got max_tokens, ${output_tokens}`,
    ),
    check(
      'metrics.duration_within',
      'duration_sec does not exceed the time measured from outside',
      async () => {
        const runs = await measured(session)
        const late = runs.find(one => isLate(one) && !isCoarse(one, runs))
        if (late !== undefined) failOn(session, late)
      },
    ),
    advice(
      'metrics.duration_fine',
      'duration_sec is not rounded up, and short runs have theirs',
      async () => {
        const late = (await measured(session)).find(isLate)
        if (late !== undefined) failOn(session, late)
      },
    ),
  ]
}

function isLate({ run, metrics }: Measured): boolean {
  return metrics.duration_sec > run.exchange.wallMs / 1000 + DURATION_MARGIN_SEC
}

/** Whether it is rounded up to whole seconds, as all of them are, or the least that this agent ever reports. */
function isCoarse({ run, metrics }: Measured, runs: readonly Measured[]): boolean {
  const durations = runs.map(one => one.metrics.duration_sec)
  if (durations.every(Number.isInteger)) return metrics.duration_sec < run.exchange.wallMs / 1000 + 1
  const isFloor = metrics.duration_sec === Math.min(...durations)
  const areMany = durations.filter(one => one === metrics.duration_sec).length >= LEAST_RUNS
  return isFloor && areMany && metrics.duration_sec <= HIGHEST_FLOOR_SEC
}

function failOn(session: Session, { run, metrics }: Measured): never {
  session.failIn(run, `expected at most ${inSeconds(run.exchange.wallMs)}, got ${metrics.duration_sec} s`)
}

function ofRunsCompared(session: Session): Check[] {
  return [
    advice('metrics.steps_of_tools', 'A run that used a tool reports more than one step', async () => {
      const { steps } = metricsOf((await session.reference()).run)
      await expectToolsShown(session)
      if (steps <= 1)
        throw new Failed(`expected at least 2 steps for a task that fails without tools, got ${steps}`)
    }),
    advice('metrics.steps_vary', 'Tasks that take more work report more steps', async () => {
      await expectToolsShown(session)
      const runs = await measured(session)
      const steps = new Set(runs.map(({ metrics }) => metrics.steps))
      const inputs = new Set(runs.map(({ run }) => run.request.input))
      if (inputs.size < 3) throw new NotRun('needs three successful tasks')
      if (steps.size === 1)
        throw new Failed(`expected steps to differ, got ${[...steps]} for ${runs.length} runs`)
    }),
    check('metrics.at_once', 'Metrics cover one run, even when several are in progress', async () => {
      await expectNoneAgain(session, async tries => await sumsAtOnce(session, tries))
    }),
    check(
      'metrics.no_trend',
      'Metrics of one task, done again and again, neither rise nor fall',
      async () => {
        for (let leastAlone = 0; ; leastAlone = MORE_TREND_RUNS) {
          const runs = await sameRuns(session, leastAlone)
          const alone = runs.filter(({ run }) => run.alone)
          // Where several take turns, or overlap, all of them may show more.
          const trends = [alone, runs].flatMap(trendsIn)
          if (trends.every(({ trend }) => trend === 'none')) return
          if (alone.length < MORE_TREND_RUNS) continue
          const found = trends.find(({ trend }) => trend === 'certain')
          if (found === undefined) return
          throw new Failed(`expected about the same ${found.name} each time, got ${found.values.join(', ')}`)
        }
      },
    ),
  ]
}

/** @throws OutOfSight unless its task shows that it needs tools */
async function expectToolsShown(session: Session): Promise<void> {
  const { run: without } = await session.once(toolless)
  if (without.reply.status !== 'error')
    throw new OutOfSight('its task succeeds with an empty enabled_tools too')
}

/** Runs of the reference in their order, at least so many of them alone. */
async function sameRuns(session: Session, leastAlone: number): Promise<Measured[]> {
  const key = taskKeyOf((await session.reference()).run)
  const same = async () =>
    (await measured(session))
      .filter(({ run }) => taskKeyOf(run) === key)
      .toSorted((a, b) => Number(a.run.when.from) - Number(b.run.when.from))
  const missing = async () => {
    const runs = await same()
    return Math.max(TREND_RUNS - runs.length, leastAlone - runs.filter(({ run }) => run.alone).length)
  }
  for (let more = await missing(); more > 0; more -= 1) await session.again()
  if ((await missing()) > 0) throw new NotRun('needs more successful runs of one task')
  return await same()
}

function trendsIn(runs: readonly Measured[]) {
  return COUNTED.map(name => {
    const values = runs.map(({ metrics }) => metrics[name])
    return { name, values, trend: trendIn(values) }
  })
}

/** What is wrong with the sums over several runs at once, compared with one alone. */
async function sumsAtOnce(session: Session, tries: number): Promise<string[]> {
  const alone = metricsOf((await (tries === 0 ? session.once(inTurn) : inTurn(session))).run)
  const known = (await session.once(repeats)).filter(({ run }) => !run.alone)
  const copies = Array.from({ length: session.limits.burst })
  const runs = tries === 0 && known.length > 1 ? known : await session.asLoad(copies, () => session.again())
  const accepted = runs.filter(({ run }) => run.reply.status === 'success').map(({ run }) => metricsOf(run))
  if (accepted.length < 2) throw new OutOfSight('the agent accepts one run at a time')
  return COUNTED.flatMap(name => {
    const sum = sumOf(accepted.map(metrics => metrics[name]))
    const usual = accepted.length * alone[name]
    if (sum <= 2 * usual && 2 * sum >= usual) return []
    return [`expected about ${usual} ${name} for ${accepted.length} runs at once, got ${sum}`]
  })
}

/** @throws NotRun if they are incomplete */
function metricsOf(run: CheckedRun): Metrics {
  if (run.reply.status !== 'success' || violationsOf(run).metrics.length > 0) {
    throw new NotRun('a run that this check needs has incomplete metrics')
  }
  return run.reply.metrics as Metrics
}
