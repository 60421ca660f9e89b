import { beforeAll, expect, test } from 'vitest'
import { bundleOnce } from '../bundle-once.ts'
import { startReplicas } from './callers.ts'
import { shareThroughFailover } from './failover.ts'
import { PRIMARY, startRedis, startReplicaOf, startSentinel } from './redis.ts'

beforeAll(() => bundleOnce('test/fleet/replica.ts', 'node_modules/.cache/fleet'))

test('Sentinel promotes a replica: every run gets its reply in time, and replicas share again', async () => {
  const primary = await startRedis()
  await startReplicaOf(primary)
  const url = `redis+sentinel://127.0.0.1:1,127.0.0.1:${await startSentinel(primary)}/${PRIMARY}`
  process.stdout.write(`Sentinel: ${await shareThroughFailover(url, () => primary.kill())}`)
})

test.each([
  { sentinel: 'with another primary', reason: 'ERR No such master with that name' },
  { sentinel: 'that is not there', reason: 'no answer' },
])(
  'a Sentinel $sentinel: the replica starts, and says why it shares nothing',
  async ({ sentinel, reason }) => {
    const port = sentinel === 'that is not there' ? 1 : await startSentinel(await startRedis())
    const [replica] = await startReplicas(1, { REDIS_URL: `redis+sentinel://127.0.0.1:${port}/another` })
    const line = await replica!.line(({ msg }) => String(msg).startsWith('Redis is unavailable'))
    expect(line).toMatchObject({ reason })
    expect(replica!.errors()).toBe('')
  },
)
