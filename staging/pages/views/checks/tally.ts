import type { Assertion, Group } from '../../../report.ts'
import { type Look, lookOf } from '../../parts/badge.tsx'

/** What there may be to read, the gravest first. */
const KINDS = [
  { words: 'mandatory failed', verdict: 'fail', mandatory: true },
  { words: 'mandatory could not run', verdict: 'not_run', mandatory: true },
  { words: 'advisory failed', verdict: 'fail', mandatory: false },
  { words: 'advisory could not run', verdict: 'not_run', mandatory: false },
] as const

/** Assertions that do not hold, by kind: `2 mandatory failed`. */
export function wordsOf(assertions: readonly Assertion[]) {
  return KINDS.flatMap(({ words, verdict, mandatory }) => {
    const fit = assertions.filter(one => one.verdict === verdict && one.mandatory === mandatory)
    return fit.length === 0 ? [] : [{ words: `${fit.length} ${words}`, first: fit[0]!, all: fit }]
  })
}

export function tallyOf(assertions: readonly Assertion[]) {
  const of = (verdict: string) => assertions.filter(one => one.mandatory && one.verdict === verdict).length
  return {
    passed: assertions.filter(({ verdict }) => verdict === 'pass').length,
    failed: of('fail'),
    notRun: of('not_run'),
  }
}

/** A group is as its worst assertion; what is only advisory does not fail it. */
export function lookOfGroup({ state, assertions }: Group): Look {
  if (state === 'waiting') return { tone: 'quiet', icon: 'ring', word: 'waiting' }
  if (state === 'underway') return lookOf('underway')
  const { failed, notRun } = tallyOf(assertions)
  if (failed > 0) return { ...lookOf('failed'), word: `${failed} failed` }
  if (notRun > 0) return { ...lookOf('incomplete'), word: `${notRun} could not run` }
  return lookOf('passed')
}
