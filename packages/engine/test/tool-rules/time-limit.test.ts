import { getEventListeners } from 'node:events'
import { withTimeLimit } from '@agent-task-service/engine/time-limit'
import { ToolError } from '@agent-task-service/engine/tool'
import { expect, it, vi } from 'vitest'

const timeUp = () => new ToolError('time is up')

it('leaves no timer, no listener and an aborted signal, and turns any reason into an Error', async () => {
  vi.useFakeTimers()
  const caller = new AbortController()
  const given: AbortSignal[] = []
  const limited = (work: () => Promise<unknown>) =>
    withTimeLimit(
      caller.signal,
      1000,
      signal => {
        given.push(signal)
        return work()
      },
      timeUp,
    )
  await limited(async () => 'done')
  await expect(limited(() => Promise.reject(new ToolError('mine')))).rejects.toThrow('mine')
  const late = expect(limited(() => new Promise(() => {}))).rejects.toThrow('time is up')
  await vi.advanceTimersByTimeAsync(1000)
  await late
  const aborted = limited(() => new Promise(() => {}))
  caller.abort('a text')
  await expect(aborted).rejects.toBeInstanceOf(Error)
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
  expect(given.map(({ aborted }) => aborted)).toEqual([true, true, true, true])
})
