import { sumOf } from '../figures.ts'
import { type Assertion, assertionsIn, causeText, type Report } from '../report.ts'
import { trendIn } from './parts/trend.ts'
import { historyOf, patternIn } from './patterns.ts'
import { GONE } from './session/calls.ts'
import { type CheckedRun, failuresOf, figuresOf, taskKeyOf } from './session/replies.ts'
import type { Session } from './session/session.ts'
import { waysOf } from './ways.ts'

/** By how much more of the metrics must fit the run before. */
const LATER = 0.1

/** In a line, or two of an agent that ended; with the assertion that shows it. */
type Cause = Pick<Report, 'cause' | 'causeId'>

const LATE_METRICS: Cause = {
  cause: 'Metrics come one run late: they fit the task of the run before (metrics.at_once)',
  causeId: 'metrics.at_once',
}

/** The runs that an assertion saw, by its id. */
type Evidence = ReadonlyMap<string, readonly CheckedRun[]>

/**
 * The likeliest single cause of what failed; empty if nothing mandatory did. Before all else, that the agent has gone; then
 * what its runs show together, before what a single check hit; then the first failure of the report, in whose order what
 * builds on others comes after them.
 */
export function causeOf(session: Session, groups: Report['groups'], evidence: Evidence): Cause {
  const { death, options } = session
  if (death !== undefined) {
    const { how, during } = death
    return { cause: `${how}\nThis was examined then: ${during.title} (${during.id})`, causeId: during.id }
  }
  const assertions = assertionsIn(groups)
  const found = causeIn(session, assertions, evidence)
  // One that the checks started is ended by them.
  const unasked = options.start === undefined ? assertions.filter(({ detail }) => detail === GONE) : []
  if (unasked.length === 0) return found
  const gone = `The agent no longer accepts connections: ${unasked.length} of the assertions were not run`
  return {
    cause: found.cause === undefined ? gone : `${gone}\n${found.cause}`,
    causeId: found.causeId ?? unasked[0]!.id,
  }
}

function causeIn(session: Session, assertions: readonly Assertion[], evidence: Evidence): Cause {
  const { runs, options } = session
  const failed = assertions.filter(({ verdict, mandatory }) => verdict === 'fail' && mandatory)
  if (failed.length === 0) return {}
  if (failed.some(({ id }) => id.startsWith('metrics.')) && areMetricsLate(runs)) return LATE_METRICS
  const one = (id: string) => failed.find(assertion => assertion.id === id)
  const trend = isOwnTrend(session) ? one('metrics.no_trend') : undefined
  // A right answer to another run tells more than what fails for want of its own, unless runs get wrong ones alone too.
  const isMixedUp =
    evidence.get('run.concurrent')?.at(-1)?.reply.status === 'success' && !failed.some(isResult)
  const told = trend ?? (isMixedUp ? one('run.concurrent') : undefined)
  const shows = failed.filter(({ id }) => evidence.get(id)?.some(run => failuresOf(run).length > 0))
  const pattern = told === undefined && shows.length > 0 ? patternIn(historyOf(session)) : undefined
  if (pattern !== undefined) {
    const isAbout = ({ id }: Assertion) => pattern.checkId !== undefined && id.startsWith(pattern.checkId)
    const { id } = shows.find(isAbout) ?? failed.find(isAbout) ?? shows[0]!
    return { cause: `${pattern.text} (${id})`, causeId: id }
  }
  // Where runs fail in no order that shows, that is told before what one of them broke.
  const frequent = shows.length > 0 ? one('limits.frequent_errors') : undefined
  const cause = told ?? frequent ?? failed[0]!
  const results = assertions.filter(isResult)
  if (options.tasks === undefined && isResult(cause) && results.every(({ verdict }) => verdict === 'fail'))
    return {
      cause: `None of the ${results.length} tasks that ship is done right. An agent with other work is checked with tasks of its own: ${waysOf(options).tasks}`,
      causeId: cause.id,
    }
  return { cause: causeText(cause), causeId: cause.id }
}

const isResult = ({ id }: Assertion) => id.startsWith('result.')

/** Whether the metrics of one task rise or fall before any run brought config, so that none can be behind it. */
function isOwnTrend({ runs }: Session): boolean {
  const plain = runs.slice(
    0,
    runs.findIndex(({ request }) => request.config !== undefined),
  )
  const same = plain.filter(run => taskKeyOf(run) === taskKeyOf(plain[0]!))
  return (['steps', 'input_tokens', 'output_tokens'] as const).some(
    name => trendIn(same.map(run => Number(figuresOf(run)[name]))) !== 'none',
  )
}

/** Whether metrics fit the task of the run before: equal where that was the same, and different where their own was. */
function areMetricsLate(runs: readonly CheckedRun[]): boolean {
  const alone = runs.filter(run => run.alone && figuresOf(run).input_tokens !== undefined)
  const pairs = alone.flatMap((run, index) => (index === 0 ? [] : [{ run, before: alone[index - 1]! }]))
  const own = agreement(pairs.map(({ run }) => [taskKeyOf(run), tokensOf(run)]))
  const other = agreement(pairs.map(({ run, before }) => [taskKeyOf(before), tokensOf(run)]))
  return other > own + LATER
}

const tokensOf = (run: CheckedRun) => `${figuresOf(run).input_tokens}/${figuresOf(run).steps}`

/** Share of the values that are the usual ones of their key, among keys that occur more than once. */
function agreement(pairs: readonly (readonly [key: string, value: string])[]): number {
  const groups = Object.values(Object.groupBy(pairs, ([key]) => key)).filter(group => group!.length > 1)
  const usual = groups.map(group => {
    const counts = Object.values(Object.groupBy(group!, ([, value]) => value)).map(same => same!.length)
    return Math.max(...counts)
  })
  const all = sumOf(groups.map(group => group!.length))
  return all === 0 ? 0 : sumOf(usual) / all
}
