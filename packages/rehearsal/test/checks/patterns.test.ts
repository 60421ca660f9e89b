import { crowd } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { describe, expect, test } from 'vitest'
import { patternIn, type Sent } from '../../checks/patterns.ts'

const HANG_UP = 'right after a caller hung up'
const REFUSED = 'right after a request that was refused'
const TRAITS = ['with system_prompt', 'with max_tokens', 'whose task_id is a UUID', 'beside others']

type Drawn = Sent & {
  readonly traits: readonly string[]
  readonly after: readonly string[]
  readonly place: number
}

/** Requests as checks make them: mostly runs, of which each has some traits, and now and then a hang-up or a refusal. */
function drawn(random: Random): Drawn[] {
  let [at, place] = [1_700_000_000_000, 0]
  let after: readonly string[] = []
  return Array.from({ length: random.whole(60, 240) }, () => {
    at += random.whole(1, 900)
    const leaves = random.happens(0.1) ? [random.pick([HANG_UP, REFUSED])] : []
    const traits = TRAITS.filter(() => random.happens(0.2))
    const run = leaves.length === 0 ? { failure: undefined, traits } : undefined
    const one = { at, leaves, traits, after, place, ...(run && { run }) }
    place += run ? 1 : 0
    after = leaves
    return one
  })
}

/** The same, where those runs fail for which this holds. */
const failingIf = (sent: readonly Drawn[], isWrong: (one: Drawn) => boolean): Sent[] =>
  sent.map(one => (one.run && isWrong(one) ? { ...one, run: { ...one.run, failure: 'got 500' } } : one))

const FAULTS: Record<string, (random: Random) => { isWrong: (one: Drawn) => boolean; says: RegExp }> = {
  'of one kind': random => {
    const trait = random.pick(TRAITS)
    return {
      isWrong: ({ traits }) => traits.includes(trait),
      says: new RegExp(`^(\\d+) of \\1 runs ${trait} fail, and none of`),
    }
  },
  'of one kind, most of them': random => {
    const trait = random.pick(TRAITS)
    const isWrong = ({ traits }: Drawn) => traits.includes(trait) && random.happens(0.7)
    return { isWrong, says: new RegExp(`runs ${trait} fail, and none of`) }
  },
  'right after what others did': random => {
    const before = random.pick([HANG_UP, REFUSED])
    return {
      isWrong: ({ after }) => after.includes(before),
      says: new RegExp(`runs ${before} fail, and none of`),
    }
  },
  'from one on': random => {
    const first = random.whole(10, 40)
    return {
      isWrong: ({ place }) => place >= first,
      says: /^Since the \d+(st|nd|rd|th) request.* nothing succeeds/,
    }
  },
  'at regular places': random => {
    const every = random.whole(3, 8)
    return {
      isWrong: ({ place }) => place % every === every - 1,
      says: new RegExp(`^Every ${every}(st|nd|rd|th) run fails`),
    }
  },
  "near a second's boundary": random => {
    const phase = random.whole(0, 999)
    const isWrong = ({ at }: Drawn) => (at - phase) % 1_000 < 100
    return { isWrong, says: /ms after a full second fail, and none of/ }
  },
}

describe.each(Object.entries(FAULTS))('runs that fail %s', (_name, faultOf) => {
  test('are told as that, with how many', () => {
    const seeds = Array.from({ length: crowd(1_000, 100) }, (_, seed) => seed)
    const missed = seeds.flatMap(seed => {
      const random = new Random(seed)
      const { isWrong, says } = faultOf(random)
      const text = patternIn(failingIf(drawn(random), isWrong))?.text
      return text !== undefined && says.test(text) && text.endsWith(': got 500') ? [] : [`${seed}: ${text}`]
    })
    // Some are so few that chance may be behind them.
    expect(missed.length, missed.slice(0, 9).join('\n')).toBeLessThanOrEqual(0.1 * seeds.length)
  })
})

test('what fails by chance, one run in thirty, is told as no pattern but in a few of a hundred', () => {
  const told = Array.from({ length: crowd(3_000, 300) }, (_, seed) => {
    const random = new Random(seed)
    return patternIn(failingIf(drawn(random), () => random.happens(1 / 30)))?.text
  })
  const patterns = told.filter(text => text !== undefined)
  expect(patterns.length, patterns.slice(0, 9).join('\n')).toBeLessThanOrEqual(0.03 * told.length)
})

test.each([0, 1])('of %i failures nothing is told', failures => {
  const sent = drawn(new Random(1))
  expect(patternIn(failingIf(sent, ({ place }) => place < failures))).toBeUndefined()
})
