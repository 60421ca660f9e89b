import { RunFailure } from '@agent-task-service/engine'
import { loadTokenizer } from '@agent-task-service/engine/tokens'
import { expect, test, vi } from 'vitest'
import { RunController } from '../../run/run-controller.ts'

vi.mock(import('@agent-task-service/engine/tokens'), async original => ({
  ...(await original()),
  loadTokenizer: vi.fn(),
}))

test('loads the tokenizer halfway, for counting a run that times out', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  using _controller = new RunController(1_000, () => new RunFailure('deadline', 'too late'))
  vi.advanceTimersByTime(499)
  expect(loadTokenizer).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(loadTokenizer).toHaveBeenCalledOnce()
  vi.useRealTimers()
})
