import { type Group, kindsOf } from '../../../report.ts'
import { type Look, lookOf } from '../../parts/badge.tsx'

/** A group is as its worst assertion; what is only advisory does not fail it. */
export function lookOfGroup({ state, assertions }: Group): Look {
  if (state === 'waiting') return { tone: 'quiet', icon: 'ring', word: 'waiting' }
  if (state === 'underway') return lookOf('underway')
  const [worst] = kindsOf(assertions.filter(({ mandatory }) => mandatory))
  if (worst === undefined) return lookOf('passed')
  const isFailed = worst.all[0]!.verdict === 'fail'
  const word = `${worst.all.length} ${isFailed ? 'failed' : 'could not run'}`
  return { ...lookOf(isFailed ? 'failed' : 'incomplete'), word }
}
