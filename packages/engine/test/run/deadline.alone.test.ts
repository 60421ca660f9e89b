import { getEventListeners } from 'node:events'
import { RunFailure } from '@agent-task-service/engine'
import { loadTokenizer } from '@agent-task-service/engine/tokens'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RunController } from '../../run/deadline.ts'
import { Run } from '../../run/run.ts'

vi.mock(import('@agent-task-service/engine/tokens'), async original => ({
  ...(await original()),
  loadTokenizer: vi.fn(),
}))

const late = new RunFailure('deadline', 'too late')
const limits = { timeoutMs: 1_000, answerByMs: 500, maxSteps: 5 }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.mocked(loadTokenizer).mockClear()
})

// EVIDENCE-OF docs/reference/threat-model.md: When the last caller hangs up, the run ends, down to the model's socket.
// EVIDENCE-OF docs/reference/threat-model.md: Code limits what a run can do: the list of tools, each tool's own checks, the budget, the
//   deadline, and the addresses that it may reach.
// EVIDENCE-OF docs/reference/threat-model.md: There is one process, a limit of runs, a limit of waiting tasks and one deadline.
test('a run ends at its limit, counted from the arrival of its request', () => {
  vi.advanceTimersByTime(5_000)
  using run = new Run({ limits, arrivedAt: performance.now() - 300 })
  vi.advanceTimersByTime(699)
  expect([run.controller.signal.aborted, run.budget.timeLeftMs]).toEqual([false, 1])
  vi.advanceTimersByTime(1)
  expect(run.controller.signal.reason).toMatchObject({
    reason: 'deadline',
    message: 'the time limit of 1 s was reached',
  })
  expect(run.budget.timeLeftMs).toBe(0)
})

test('a deadline in the past ends it at once', () => {
  using controller = new RunController(-5, () => late)
  vi.advanceTimersByTime(1)
  expect(controller.signal.reason).toBe(late)
})

test('loads the tokenizer halfway, for counting a run that times out', () => {
  using _controller = new RunController(1_000, () => late)
  vi.advanceTimersByTime(499)
  expect(loadTokenizer).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(loadTokenizer).toHaveBeenCalledOnce()
})

test('a run does not keep the process alive', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  using _controller = new RunController(1_000, () => late)
  expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false, false])
})

test('the first reason stays', async () => {
  const caller = new AbortController()
  using controller = new RunController(1_000, () => late, caller.signal)
  const gone = new RunFailure('hang_up', 'gone')
  caller.abort(gone)
  controller.abort(late)
  vi.advanceTimersByTime(1_000)
  expect(controller.signal.reason).toBe(gone)
  await expect(controller.aborted).rejects.toBe(gone)
})

test('a caller who has already left ends it before it begins', () => {
  const gone = new RunFailure('hang_up', 'gone')
  using controller = new RunController(1_000, () => late, AbortSignal.abort(gone))
  expect(controller.signal.reason).toBe(gone)
})

test('once disposed it leaves no timer and no listener', () => {
  const caller = new AbortController()
  const controller = new RunController(1_000, () => late, caller.signal)
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
  controller[Symbol.dispose]()
  expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
  caller.abort(new RunFailure('hang_up', 'gone'))
  vi.advanceTimersByTime(5_000)
  expect(controller.signal.aborted).toBe(false)
})
