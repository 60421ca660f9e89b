import { expect, test, vi } from 'vitest'
import { toldRuns } from '../../../staging/agents/told-runs.ts'
import type { RecordedEvent } from '../../../staging/api.ts'

/** Tells of a whole run. */
function tell(told: ReturnType<typeof toldRuns>, run: number, task_id: string, text = ''): void {
  told.add({ run, task_id, type: 'run_started', data: {} })
  if (text) told.add({ run, task_id, type: 'text', data: { step: 1, text } })
  told.add({ run, task_id, type: 'run_finished', data: { cost_usd: 0 } })
}

test('each claim gets one run with its id, told before or after it, and none that is older', () => {
  const told = toldRuns()
  const got: [string, readonly RecordedEvent[]][] = []
  const claim = (name: string, taskId: string, since = new Date()) =>
    told.claim(taskId, since, events => got.push([name, events]))
  tell(told, 1, 'test-1', 'first')
  claim('a', 'test-1', new Date(0))
  expect(got.map(([name, [, text]]) => [name, text!.data.text])).toEqual([['a', 'first']])
  claim('b', 'test-1', new Date(0))
  tell(told, 2, 'test-2')
  expect(got).toHaveLength(1)
  tell(told, 3, 'test-1')
  expect(got.map(([name]) => name)).toEqual(['a', 'b'])
  tell(told, 4, 'test-1')
  claim('c', 'test-1', new Date(Date.now() + 1_000))
  claim('d', 'test-2', new Date(0))
  expect(got.map(([name]) => name)).toEqual(['a', 'b', 'd'])
  claim('e', 'test-3', new Date(0))
  told.stop()
  tell(told, 5, 'test-3')
  // Not what a Node program says of itself either.
  for (const message of ['hello', null, { run: 1 }]) told.add(message)
  expect(got).toHaveLength(3)
})

test('a claim that nothing came for, as for a joined run, takes no later run', () => {
  const told = toldRuns()
  const taken: string[] = []
  using now = vi.spyOn(Date, 'now').mockReturnValue(1_000)
  told.claim('test-1', new Date(0), () => taken.push('joined'))
  now.mockReturnValue(12_000)
  tell(told, 1, 'test-1')
  told.claim('test-1', new Date(0), () => taken.push('later'))
  expect(taken).toEqual(['later'])
})
