/** What a report of the acceptance checks says in words. */

import { inMinutes, sumOf } from './figures.ts'
import type { Assertion, Estimate, Group, Means, Report } from './report-shape.ts'

export type { Assertion, Estimate, Group, Means, Report, Verdict } from './report-shape.ts'

/** `A run takes 8.5 s: these checks take about 7 min, and at most 250 runs, of 580 tokens each`. */
export function estimateText({ runSeconds, runTokens, runs, seconds, limitSeconds }: Estimate): string {
  const cost = runs === undefined ? '' : `, and at most ${2 * runs} runs`
  const each = runTokens === undefined ? '' : `, of ${runTokens} tokens each`
  const about = `A run takes ${runSeconds} s: these checks take about ${inMinutes(1000 * seconds)}${cost}${each}`
  if (limitSeconds === undefined || limitSeconds >= seconds) return about
  return `${about}, of which ${inMinutes(1000 * limitSeconds)} were given: what does not fit is named`
}

/** `Means of 48 runs: 0.84 s, 560 tokens in, 41 out, 3.1 steps`. */
export function meansText({ runs, seconds, inputTokens, outputTokens, steps }: Means): string {
  const figures = [`${seconds} s`, `${inputTokens} tokens in`, `${outputTokens} out`, `${steps} steps`]
  return `Means of ${runs} runs: ${figures.join(', ')}`
}

/** All assertions of a report, in its order. */
export function assertionsIn(groups: readonly Group[]): Assertion[] {
  return groups.flatMap(({ assertions }) => assertions)
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

/** An assertion in a sentence that is true: a title says what must hold, so that of a failed one is denied. */
export function toldOf({ title, verdict }: Pick<Assertion, 'title' | 'verdict'>): string {
  return verdict === 'fail' ? `Not so: ${title}` : title
}

/** An assertion as the likeliest cause. */
export function causeText(assertion: Assertion): string {
  return `${toldOf(assertion)} (${assertion.id}): ${assertion.detail}`
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
