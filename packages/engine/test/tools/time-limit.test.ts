import { getEventListeners } from 'node:events'
import { testGraph } from '@agent-task-service/engine/testing'
import { withTimeLimit } from '@agent-task-service/engine/time-limit'
import { ToolError } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const timeUp = () => new ToolError('time is up')

test('leaves no timer, no listener and an aborted signal, and turns any reason into an Error', async () => {
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

// EVIDENCE-OF docs/reference/tool-rules.md: After that the signal aborts, and the model reads that the tool took too long
test('a tool without a time limit has 20 s', async () => {
  const given = Promise.withResolvers<AbortSignal>()
  const hanging = tool('hanging', (_args, { signal }) => {
    given.resolve(signal)
    return new Promise<never>(() => {})
  })
  const { parts } = await testGraph(agent, { tools: [hanging] })
  const ended = expect(parts.tools[0]?.invoke({})).rejects.toThrow('hanging took longer than 20 s')
  const signal = await given.promise
  vi.advanceTimersByTime(19_999)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.aborted).toBe(true)
  await ended
})
