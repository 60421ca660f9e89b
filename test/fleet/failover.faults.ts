import { some } from '@agent-task-service/test-support/at-length'
import { beforeAll, expect, test } from 'vitest'
import { bundleOnce } from '../bundle-once.ts'
import { startReplicas } from './callers.ts'
import { shareThroughFailover } from './failover.ts'
import { PRIMARY, startCluster, startRedis, startReplicaOf, startSentinel, type TestRedis } from './redis.ts'

beforeAll(() => bundleOnce('test/fleet/replica.ts', 'node_modules/.cache/fleet'))

/** What happens to a primary for good. */
const losses = {
  'is killed': primary => primary.kill(),
  hangs: async primary => void primary.child.kill('SIGSTOP'),
} satisfies Record<string, (primary: TestRedis) => Promise<void>>
const kinds = ['Sentinel', 'Cluster'] as const
const cases = kinds.flatMap(kind => Object.entries(losses).map(([how, lose]) => ({ kind, how, lose })))

// EVIDENCE-OF docs/reference/fleet.md: Sentinels that know the primary as `mymaster`; they are asked for it whenever a replica connects.
// EVIDENCE-OF docs/reference/fleet.md: A Cluster. Some of its nodes will do, they know the others.
// EVIDENCE-OF docs/reference/fleet.md: Until there is another primary, Redis is down; 4 s later replicas take tasks over again.
test.each(some(cases, 2))(
  '$kind promotes a replica since its primary $how: every run gets its reply in time, and replicas share again',
  async ({ kind, how, lose }) => {
    const [primary, hosts] = kind === 'Sentinel' ? await withSentinel() : await withCluster()
    const seen = await shareThroughFailover(`redis+${kind.toLowerCase()}://127.0.0.1:1,${hosts}`, () =>
      lose(primary),
    )
    process.stdout.write(`${kind}, primary ${how}: ${seen}`)
  },
)

async function withSentinel(): Promise<[TestRedis, hosts: string]> {
  const primary = await startRedis()
  await startReplicaOf(primary)
  return [primary, `127.0.0.1:${await startSentinel(primary)}/${PRIMARY}`]
}

async function withCluster(): Promise<[TestRedis, hosts: string]> {
  const [first, second] = await startCluster()
  return [first, `127.0.0.1:${second!.port}`]
}

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
