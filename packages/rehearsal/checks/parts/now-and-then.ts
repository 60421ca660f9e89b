import { advice, type Check, check } from '../check.ts'
import { type CheckedRun, failuresOf, isBusy, taskKeyOf } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { Failed } from '../verdicts.ts'

/** A model fails in one run of a hundred; what fails more often than one in this many, and more than so many times, does not do its tasks. */
const RARE_SHARE = 20
const RARE_ERRORS = 3
/** Refusals of an agent that has nothing else to do: of five a second, one request in six is refused. */
const REFUSED_SHARE = 3

/** What goes wrong now and then, and not when it is sent again. No retry by the platform is known, so each is told. */
export function nowAndThen(session: Session): Check[] {
  return [
    advice('limits.retry_after', 'No request is refused until later (Retry-After)', () => {
      const { retries, requests } = session.calls
      const [first] = retries.refused
      if (first === undefined) return
      const { status, headers } = first.exchange
      throw new Failed(
        `${retries.refused.length} of ${requests} requests were refused for a time, and sent again after it: HTTP ${status} with Retry-After: ${headers['retry-after']}`,
      )
    }),
    check('limits.refusals', 'An agent that does nothing else refuses at most every third request', () => {
      const alone = session.calls.retries.refused.filter(one => one.alone)
      const { requests } = session.calls
      if (REFUSED_SHARE * alone.length > requests)
        throw new Failed(`${alone.length} of ${requests} requests were refused with nothing beside them`)
    }),
    advice('limits.rare_errors', 'A task that succeeds once succeeds each time', () => {
      const { failed, all } = unsteady(session)
      if (failed.length > 0) session.failIn(failed[0]!, told(failed, all))
    }),
    check('limits.frequent_errors', `At most one run in ${RARE_SHARE} of a task that succeeds fails`, () => {
      const { failed, all } = unsteady(session)
      if (failed.length >= RARE_ERRORS && RARE_SHARE * failed.length > all)
        session.failIn(failed[0]!, told(failed, all))
    }),
  ]
}

function told(failed: readonly CheckedRun[], all: number): string {
  return `${failed.length} of ${all} runs failed, of tasks that succeed otherwise: ${failuresOf(failed[0]!)[0]}`
}

/** Runs that failed although the same task succeeded, and how many there are of such tasks. Under a cap or without tools, a model may do either. */
function unsteady({ runs }: Session) {
  const comparable = runs.filter(
    ({ request: { config }, exchange }) =>
      config?.max_tokens === undefined && config?.enabled_tools === undefined && !isBusy(exchange),
  )
  const isFailed = (run: CheckedRun) => failuresOf(run).length > 0
  const done = new Set(comparable.filter(run => !isFailed(run)).map(taskKeyOf))
  const same = comparable.filter(run => done.has(taskKeyOf(run)))
  return { failed: same.filter(isFailed), all: same.length }
}
