/** What the acceptance checks found: one group for each of the curator's checks, and the limits. */

import { inMinutes, sumOf } from './figures.ts'

export type Verdict = 'pass' | 'fail' | 'not_run'

/** One checked assertion. */
export interface Assertion {
  /** Stable, `group.name`: `health.shape`. */
  readonly id: string
  /** What must hold, as a sentence. */
  readonly title: string
  readonly verdict: Verdict
  /** Advisory ones do not decide. */
  readonly mandatory: boolean
  /** If it failed, what was expected and what it got; if it did not run, why. */
  readonly detail: string | null
  /** If it failed, the number of the run behind it in the platform's records; absent: none, or not known. */
  readonly run?: number
  /** Why it matters, in the contract's own words. */
  readonly why: string
  /** A command that reproduces it. */
  readonly how: string
  /** Seconds that its check took. */
  readonly seconds?: number
}

export interface Group {
  readonly id: 'health' | 'run' | 'result' | 'input' | 'metrics' | 'logs' | 'limits' | 'end'
  readonly title: string
  readonly state: 'waiting' | 'underway' | 'done'
  /** How many assertions it will have, unless the checks finish early; absent in reports of earlier versions. */
  readonly expected?: number
  readonly assertions: readonly Assertion[]
}

/** What is told at the start, after the agent's first run. */
export interface Estimate {
  /** Seconds of that run. */
  readonly runSeconds: number
  /** Seconds of all checks that were asked for, about. */
  readonly seconds: number
  /** Seconds that they are given; absent: as many as they need at the pace of this agent. */
  readonly limitSeconds?: number
}

/** Means over the runs that the checks made and that succeeded with complete metrics. */
export interface Means {
  readonly runs: number
  /** Of a run, as its caller waits. */
  readonly seconds: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly steps: number
}

export interface Report {
  readonly url: string
  readonly agentId: string | null
  readonly startedAt: string
  readonly finishedAt: string | null
  /** `incomplete`: nothing mandatory failed, but something mandatory was not run. Null until the end. */
  readonly verdict: 'passed' | 'failed' | 'incomplete' | null
  /** Requests sent to the agent so far, valid or not, not counting `/health`. */
  readonly requests: number
  /** Absent before the first run, and if that did not succeed. */
  readonly estimate?: Estimate
  /** Seconds of all checks, about: those so far, and the others at the pace of the runs so far. Absent before a run, and at the end. */
  readonly expectedSeconds?: number
  readonly groups: readonly Group[]
  /** The likeliest single cause of the mandatory failures, in a line. */
  readonly cause?: string | undefined
  /** The assertion that shows the cause. */
  readonly causeId?: string | undefined
  /** What the given options leave unchecked, each with the option that would allow it. */
  readonly unseen?: readonly string[]
  /** Absent until the end, and if no run succeeded. */
  readonly means?: Means | undefined
}

/** `A run takes 8.5 s: these checks take about 7 min`. */
export function estimateText({ runSeconds, seconds, limitSeconds }: Estimate): string {
  const about = `A run takes ${runSeconds} s: these checks take about ${inMinutes(1000 * seconds)}`
  if (limitSeconds === undefined || limitSeconds >= seconds) return about
  return `${about}, of which ${inMinutes(1000 * limitSeconds)} were given: what does not fit is named`
}

/** `Means of 48 runs: 0.84 s, 560 tokens in, 41 out, 3.1 steps`. */
export function meansText({ runs, seconds, inputTokens, outputTokens, steps }: Means): string {
  const figures = [`${seconds} s`, `${inputTokens} tokens in`, `${outputTokens} out`, `${steps} steps`]
  return `Means of ${runs} runs: ${figures.join(', ')}`
}

/** How many assertions the checks will have, as far as is known. */
export function expectedIn(groups: readonly Group[]): number {
  return sumOf(groups.map(({ expected = 0, assertions }) => Math.max(expected, assertions.length)))
}

/** `3 of 4 assertions passed`; of none: `No assertion was checked`. */
export function passedText(passed: number, all: number): string {
  return all === 0
    ? 'No assertion was checked'
    : `${passed} of ${all} assertion${all === 1 ? '' : 's'} passed`
}

/** An assertion as the likeliest cause. */
export function causeText({ id, title, detail }: Assertion): string {
  return `${title} (${id}): ${detail}`
}

/** Kinds of results in a report, most serious first. */
const KINDS = [
  { words: 'mandatory failed', verdict: 'fail', mandatory: true },
  { words: 'mandatory not run', verdict: 'not_run', mandatory: true },
  { words: 'advisory failed', verdict: 'fail', mandatory: false },
  { words: 'advisory not run', verdict: 'not_run', mandatory: false },
] as const

/** The assertions that did not pass, by kind; empty kinds are left out. */
export function kindsOf(assertions: readonly Assertion[]) {
  return KINDS.flatMap(({ words, verdict, mandatory }) => {
    const all = assertions.filter(one => one.verdict === verdict && one.mandatory === mandatory)
    return all.length === 0 ? [] : [{ words, all }]
  })
}

/** The assertions that ran and have another verdict than in an earlier report, with the earlier one. */
export function changesSince(before: Report, { groups }: Report) {
  const earlier = new Map(before.groups.flatMap(({ assertions }) => assertions.map(one => [one.id, one])))
  return groups.flatMap(({ assertions }) =>
    assertions.flatMap(now => {
      const was = earlier.get(now.id)
      const isSame = was === undefined || was.verdict === now.verdict || now.verdict === 'not_run'
      return isSame ? [] : [{ now, was }]
    }),
  )
}
