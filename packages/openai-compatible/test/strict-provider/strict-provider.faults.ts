import { seedsOf } from '@agent-task-service/test-support/at-length'
import { describe, expect, test } from 'vitest'
import { check, type Verdict } from './check.ts'
import { draw } from './draw.ts'
import { kinds } from './kinds.ts'

const seeds = seedsOf(10_000, 30)
const AT_ONCE = 16
/** Failing seeds of which all is shown. */
const SHOWN = 3

test(`the providers of ${seeds.length} seeds: each is understood, and given what it takes`, async () => {
  const failed: Verdict[] = []
  const left = seeds.values()
  const work = async () => {
    for (const seed of left) {
      const verdict = await check(draw(seed))
      if (verdict.problems.length > 0) failed.push(verdict)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const told = failed.toSorted((one, other) => one.seed - other.seed)
  const lines = told.map(({ seed, problems }) => `seed ${seed}: ${problems.join('; ')}`)
  const shown = told.slice(0, SHOWN).map(({ seed, about }) => `seed ${seed}\n${about}`)
  expect(lines, `${told.length} of ${seeds.length}\n${shown.join('\n')}`).toEqual([])
}, 900_000)

describe.concurrent('a run that another model began goes on, with', () => {
  const scenes = Array.from({ length: 5_000 }, (_, seed) => draw(seed)).filter(({ foreignIds }) => foreignIds)
  const taking = kinds.filter(({ takesOnlyOwnTurns }) => !takesOnlyOwnTurns)

  test.each(taking)('$name', async kind => {
    const { problems, about } = await check(scenes.find(scene => scene.kind === kind)!)
    expect(problems, about).toEqual([])
  })
})
