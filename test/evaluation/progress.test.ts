import { expect, test } from 'vitest'
import type { Trial } from '../../evaluation/evaluate.ts'
import { createProgress } from '../../evaluation/progress.ts'

const trial = (verdict: Trial['verdict'], task = 0): Trial => ({
  task,
  variant: 0,
  verdict,
  problems: [],
  output: '',
  wallMs: 1,
  metrics: null,
  cost: null,
})

test('there is a line now and then, with the last failure', () => {
  const written: string[] = []
  const clock = [0, 4_999, 5_000, 5_000, 6_000].values()
  const nameOf = ({ task }: Trial) => `task ${task}`
  const progress = createProgress(
    line => written.push(line),
    4,
    nameOf,
    () => clock.next().value ?? 0,
  )
  for (const one of [trial('pass'), trial('fail', 3), trial('pass')]) progress(one)
  expect(written).toEqual(['2 of 4 runs, 1 failed, the last: task 3\n'])
})
