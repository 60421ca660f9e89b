import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { crowd } from '@agent-task-service/test-support/at-length'
import { askedSeed, Random } from '@agent-task-service/test-support/random'
import { expect, test } from 'vitest'
import { plants } from './plants.ts'
import { scheduleOf } from './schedule.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))
const COUNT = askedSeed === undefined ? crowd(10_000, 40) : 1
const asked = askedSeed === undefined ? ['--count', String(COUNT)] : ['--seed', String(askedSeed)]

test(`in ${COUNT} schedules, what must always hold holds`, async () => {
  const args = [program, ...asked]
  // What it prints names the seed of each problem.
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(error => error)
  expect(stdout).toMatch(new RegExp(`^${COUNT} schedules, .*: 0 with a problem$`, 'm'))
})

test('a seed has always the same schedule, and others have others', () => {
  expect(scheduleOf(17)).toEqual(scheduleOf(17))
  const schedules = Array.from({ length: 1_000 }, (_, seed) =>
    JSON.stringify({ ...scheduleOf(seed), seed: 0 }),
  )
  expect(new Set(schedules).size).toBe(1_000)
  const random = new Random(1)
  const numbers = Array.from({ length: 10_000 }, () => random.whole(1, 10))
  for (const each of new Set(numbers))
    expect(numbers.filter(number => number === each).length).toBeGreaterThan(800)
})

test.each(Object.entries(plants))(
  'the race that can be planted is still possible: %s',
  (_name, { file, was }) => {
    const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
    expect(source.split(was)).toHaveLength(2)
  },
)
