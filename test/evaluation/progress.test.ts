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

function told(stream: { isTTY?: boolean; columns?: number }, times: readonly number[] = []) {
  let written = ''
  const clock = times.values()
  const write = (text: string) => {
    written += text
  }
  const nameOf = ({ task }: Trial) => `task ${task}`
  const progress = createProgress({ ...stream, write }, 4, nameOf, () => clock.next().value ?? 0)
  return { progress, written: () => written }
}

test('a terminal has one line with the progress and the failures, cleared at the end', () => {
  const { progress, written } = told({ isTTY: true, columns: 60 })
  for (const one of [trial('pass'), trial('fail', 7), trial('not_served')]) progress.add(one)
  progress.end()
  expect(written()).not.toContain('\n')
  expect(written().split('\r\u001b[K')).toEqual([
    '',
    '1 of 4 runs',
    '2 of 4 runs, 1 failed, the last: task 7',
    '3 of 4 runs, 1 failed, the last: task 7',
    '',
  ])
})

test('elsewhere there is a line now and then', () => {
  const { progress, written } = told({}, [0, 14_999, 15_000, 15_000, 16_000])
  for (const one of [trial('pass'), trial('fail', 3), trial('pass')]) progress.add(one)
  progress.end()
  expect(written()).toBe('2 of 4 runs, 1 failed, the last: task 3\n')
})
