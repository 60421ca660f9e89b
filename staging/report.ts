/** What the acceptance checks found: one group for each of the curator's checks, and the limits. */

export type Verdict = 'pass' | 'fail' | 'not_run'

/** One thing that was looked at. */
export interface Assertion {
  /** Stable, `group.name`: `health.shape`. */
  readonly id: string
  /** What must hold, as a sentence. */
  readonly title: string
  readonly verdict: Verdict
  /** Advisory ones do not decide. */
  readonly mandatory: boolean
  /** What was expected and what came, when it did not pass; why it could not run, when it did not. */
  readonly detail: string | null
  /** Why it matters, in the interface's own words. */
  readonly why: string
  /** How to see it for oneself: a command. */
  readonly how: string
}

export interface Group {
  readonly id: 'health' | 'run' | 'result' | 'input' | 'metrics' | 'logs' | 'limits' | 'end'
  readonly title: string
  readonly state: 'waiting' | 'underway' | 'done'
  readonly assertions: readonly Assertion[]
}

export interface Report {
  readonly url: string
  readonly agentId: string | null
  readonly startedAt: string
  readonly finishedAt: string | null
  /** `incomplete`: nothing mandatory failed, but something mandatory could not run. Null until the end. */
  readonly verdict: 'passed' | 'failed' | 'incomplete' | null
  /** Requests sent to the agent so far beside `/health`: runs, and what was no valid run. */
  readonly requests: number
  readonly groups: readonly Group[]
  /** What cannot be seen of an agent that is named like this, each with the option that shows it. */
  readonly unseen?: readonly string[]
  /** How long all of it may take, in seconds, once the first run shows it. */
  readonly expectedSec?: number
}

/** What there may be to read in a report, the gravest first. */
const KINDS = [
  { words: 'mandatory failed', verdict: 'fail', mandatory: true },
  { words: 'mandatory could not run', verdict: 'not_run', mandatory: true },
  { words: 'advisory failed', verdict: 'fail', mandatory: false },
  { words: 'advisory could not run', verdict: 'not_run', mandatory: false },
] as const

/** The assertions that do not hold, by kind; no kind without one. */
export function kindsOf(assertions: readonly Assertion[]) {
  return KINDS.flatMap(({ words, verdict, mandatory }) => {
    const all = assertions.filter(one => one.verdict === verdict && one.mandatory === mandatory)
    return all.length === 0 ? [] : [{ words, all }]
  })
}
