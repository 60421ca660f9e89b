import { randomUUID } from 'node:crypto'
import { some } from '@agent-task-service/test-support/at-length'
import { expect, test, vi } from 'vitest'
import type { SimulatedRedis } from '../simulation/redis.ts'
import { ANN, Fleet, pays, payTool } from './two-replicas.ts'

vi.mock('ioredis', () => import('../simulation/ioredis.ts'))

const RECEIPT = 'receipt 1'

/** Begins a fault, and returns what ends it. */
const FAULTS: Record<string, (redis: SimulatedRedis, whenBegun: () => void) => () => void> = {
  'is read-only': redis => refuses(redis, "READONLY You can't write against a read only replica."),
  'is full': redis => refuses(redis, "OOM command not allowed when used memory > 'maxmemory'."),
  'holds something else': redis =>
    refuses(redis, 'WRONGTYPE Operation against a key holding the wrong kind of value'),
  'fails over to one without the last writes': (_redis, takeBack) => {
    takeBack()
    return () => undefined
  },
  'is 300 ms late': redis => {
    redis.lateMs = 300
    return () => {
      redis.lateMs = 0
    }
  },
  'has a clock that goes back by a minute': redis => {
    redis.clockMs = -60_000
    return () => undefined
  },
  'is down': redis => {
    redis.isDown = true
    return () => {
      redis.isDown = false
    }
  },
}

function refuses(redis: SimulatedRedis, refusal: string): () => void {
  redis.refusal = refusal
  return () => {
    redis.refusal = undefined
  }
}

const MOMENTS = ['before the call', 'during the call', 'after the call'] as const

test.each(some(Object.keys(FAULTS), 3))(
  'Redis %s: a payment is made once, wherever its task is sent again',
  async fault => {
    for (const moment of MOMENTS) {
      const fleet = new Fleet()
      const paid: string[] = []
      let end = () => {}
      let takeBack = () => {}
      const begin = async (now: (typeof MOMENTS)[number]) => {
        if (now !== moment) return
        end = FAULTS[fault]!(fleet.redis, takeBack)
        await new Promise(resolve => setTimeout(resolve, 3_000))
      }
      const work = async (key: string) => {
        paid.push(key)
        await begin('during the call')
        return RECEIPT
      }
      const calls = pays(ANN)
      const first = await fleet.replica([payTool([], work)], async request => {
        const hasPaid = request.messages.some(({ type }) => type === 'tool')
        await begin(hasPaid ? 'after the call' : 'before the call')
        return calls(request)
      })
      const second = await fleet.replica([payTool([], work)], calls)
      takeBack = fleet.redis.save()
      const task_id = randomUUID()
      const replies = [await first.run(task_id), await second.run(task_id)]
      end()
      await fleet.pass(5_000)
      replies.push(await first.run(task_id), await second.run(task_id))
      const seen = JSON.stringify({ moment, replies })
      expect(paid.length, seen).toBeLessThanOrEqual(1)
      // The one that has paid tells it, and no other says that it has.
      if (paid.length > 0) expect(replies[0], seen).toMatchObject({ status: 'success', output: RECEIPT })
      for (const { output, error = '' } of replies as { output: string; error?: string }[])
        expect(output + error, seen).toMatch(/receipt 1|cannot be recorded now|outcome is unknown/)
      await fleet.end()
    }
  },
)

test('a suspended replica wakes up after another one has taken its payment over: it is not made again', async () => {
  const fleet = new Fleet()
  const paid: string[] = []
  const { promise: asleep, resolve: fallAsleep } = Promise.withResolvers<void>()
  const calls = pays(ANN)
  const pay = payTool([], async key => {
    paid.push(key)
    return RECEIPT
  })
  const first = await fleet.replica([pay], async request => {
    if (!request.messages.some(({ type }) => type === 'tool')) return calls(request)
    fallAsleep()
    await new Promise(resolve => setTimeout(resolve, 8_000))
    return calls(request)
  })
  const second = await fleet.replica([pay], calls)
  const task_id = randomUUID()
  const left = first.service.run('Pay 5 to Ann', undefined, task_id)
  await fleet.after(asleep)
  first.client.link = 'cut'
  await fleet.pass(5_000)
  expect(await second.run(task_id)).toMatchObject({ status: 'success', output: RECEIPT })
  first.client.link = 'open'
  expect(await fleet.after(left)).toMatchObject({ status: 'success', output: RECEIPT })
  expect(paid).toHaveLength(1)
})
