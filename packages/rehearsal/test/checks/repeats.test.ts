import type { Exchange } from '@agent-task-service/rehearsal/agents'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Session } from '../../checks/session/session.ts'

test('a run may come from a cache if an equal one began before its end, whichever was sent first', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const session = new Session({ url: 'http://127.0.0.1:9' }, { tasks: [] })
  /** Starts a run that lasts until it is answered. */
  const begin = (input: string) => {
    const { promise, resolve } = Promise.withResolvers<Exchange>()
    const run = session.run({ task_id: 'test-1', input }, { by: () => promise })
    return async () => {
      resolve({ status: 200, headers: {}, body: '{}', wallMs: 1, failure: null } as Exchange)
      return await run
    }
  }
  const alone = await begin('What is 2+3?')()
  vi.setSystemTime(Date.now() + 1_000)
  const [one, other] = [begin('What is 4+5?'), begin('What  is 4+5?')]
  const together = [await other(), await one()]
  vi.setSystemTime(Date.now() + 1_000)
  const later = await begin('What is 2+3?')()
  expect([alone, ...together, later].map(run => session.isRepeat(run))).toEqual([false, true, true, true])
})

test('work that checks share and did beside others is done again for another try alone', async () => {
  const session = new Session(
    { url: 'http://127.0.0.1:9' },
    { tasks: [{ input: 'Hi', expect: { status: 'success' } }] },
  )
  const counts = { beside: 0, alone: 0 }
  const beside = async () => ++counts.beside
  const alone = async () => ++counts.alone
  await session.once(alone)
  const look = async () => [await session.once(beside), await session.once(alone)]
  const { result, forget } = await session.observe(look, true)
  expect([result, await look()]).toEqual([
    [1, 1],
    [1, 1],
  ])
  forget()
  expect(await look()).toEqual([2, 1])
})
