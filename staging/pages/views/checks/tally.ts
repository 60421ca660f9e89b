import type { Assertion, Group } from '../../../report.ts'
import { type Look, lookOf } from '../../parts/badge.tsx'

/** How many assertions came to what. */
export function tallyOf(assertions: readonly Assertion[]) {
  const how = (fits: (assertion: Assertion) => boolean) => assertions.filter(fits).length
  return {
    all: assertions.length,
    passed: how(({ verdict }) => verdict === 'pass'),
    failed: how(({ verdict, mandatory }) => verdict === 'fail' && mandatory),
    failedAdvisory: how(({ verdict, mandatory }) => verdict === 'fail' && !mandatory),
    notRun: how(({ verdict, mandatory }) => verdict === 'not_run' && mandatory),
    notRunAdvisory: how(({ verdict, mandatory }) => verdict === 'not_run' && !mandatory),
  }
}

/** A group is as its worst assertion; what is only advisory does not fail it. */
export function lookOfGroup({ state, assertions }: Group): Look {
  if (state === 'waiting') return { tone: 'quiet', icon: 'ring', word: 'waiting' }
  if (state === 'underway') return lookOf('underway')
  const { failed, failedAdvisory, notRun } = tallyOf(assertions)
  if (failed > 0) return lookOf('failed')
  if (notRun > 0) return lookOf('incomplete')
  return failedAdvisory > 0 ? { tone: 'warn', icon: 'check', word: 'passed, with advice' } : lookOf('passed')
}
