import { tool } from '@agent-task-service/test-support/sample-tools'
import { expect, onTestFinished, test, vi } from 'vitest'
import { guardTool } from '../../tool-rules/guarded-tools.ts'

test('a tool without a time limit has 20 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const given = Promise.withResolvers<AbortSignal>()
  const hanging = tool('hanging', (_args, { signal }) => {
    given.resolve(signal)
    return new Promise<never>(() => {})
  })
  const ended = expect(guardTool(hanging).invoke({})).rejects.toThrow('hanging took longer than 20 s')
  const signal = await given.promise
  vi.advanceTimersByTime(19_999)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.aborted).toBe(true)
  await ended
})
