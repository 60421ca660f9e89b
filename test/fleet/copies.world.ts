import { randomUUID } from 'node:crypto'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { testService } from '@agent-task-service/test-support/service'
import { tool } from '@langchain/core/tools'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { startCluster, startRedis, startReplicaOf, type TestRedis } from './redis.ts'

const LACK = 'replicas of Redis lack what tools do: a failover may lose it'
const HINT = 'Redis has replicas and REDIS_REPLICAS is 0'

/** An agent that pays once in each task, and answers with what its tool said. */
async function payingService(env: Record<string, string>, work: () => Promise<unknown> = async () => {}) {
  const pay = tool(
    async () => {
      await work()
      return 'paid'
    },
    { name: 'pay', description: 'pays', schema: z.object({}), metadata: { readOnlyHint: false } },
  )
  const model = new ScriptedModel(({ messages }) =>
    messages.at(-1)!.type === 'tool' ? messages.at(-1)!.text : { toolCalls: [{ name: 'pay' }] },
  )
  const service = await testService(
    { AGENT_ID: 'agent-1', ...env },
    { models: [model.named()], tools: [pay] },
  )
  onTestFinished(() => service.close(0))
  const run = async () => (await service.run('pay', undefined, randomUUID())).output
  /** Redis may take a busy machine longer than a run waits for it. */
  const untilPaid = async () => {
    while ((await run()) !== 'paid');
  }
  const lines = (words: string) => service.lines.filter(({ msg }) => String(msg).startsWith(words))
  return { run, untilPaid, lines }
}

/** The fields of all tasks' effects. */
async function effectsIn({ client }: TestRedis): Promise<string[]> {
  const keys = (await client.keys('agent-task:*')).filter(key => !key.includes('probe'))
  const fields = await Promise.all(keys.map(key => client.hgetall(key)))
  return fields.flatMap(task =>
    Object.entries(task).flatMap(([name, value]) => (name.startsWith('e:') ? value : [])),
  )
}

/** Connections that are not subscribed to the news. */
async function furtherConnectionsTo({ client }: TestRedis): Promise<number> {
  const list = (await client.call('CLIENT', 'LIST', 'TYPE', 'normal')) as string
  // But for the test's own.
  return list.trim().split('\n').length - 1
}

// EVIDENCE-OF docs/configuration.md: | `REDIS_REPLICAS` |
// EVIDENCE-OF docs/reference/fleet.md: A tool with side effects begins once so many have acknowledged its record.
test('a replica of Redis knows of a payment before it begins, and how it ended before the model reads it', async () => {
  const primary = await startRedis()
  const replica = await startReplicaOf(primary)
  const seen: string[][] = []
  const { untilPaid } = await payingService({ REDIS_URL: primary.url, REDIS_REPLICAS: '1' }, async () => {
    seen.push(await effectsIn(replica))
  })
  await untilPaid()
  expect(seen).toMatchObject([[expect.not.stringContaining('outcome')]])
  expect(await furtherConnectionsTo(primary)).toBe(1)
})

// EVIDENCE-OF docs/reference/fleet.md: If one of them is lost, no such tool runs until it is back or the number is lowered.
test('without that replica nothing is paid, and once it is back all goes on', async () => {
  const primary = await startRedis()
  const replica = await startReplicaOf(primary)
  const { run, untilPaid, lines } = await payingService({ REDIS_URL: primary.url, REDIS_REPLICAS: '1' })
  await replica.kill()
  expect(await run()).toContain('cannot be recorded now')
  expect(lines('effect refused')).toHaveLength(1)
  expect(lines(LACK)).toContainEqual(expect.objectContaining({ level: 'warn' }))
  await startReplicaOf(primary)
  await untilPaid()
})

// EVIDENCE-OF docs/reference/fleet.md: If they do not acknowledge it, the result stands, and a line warns: after a failover the
//   call is one that had begun and not ended.
test('a replica that is lost during a payment: the result stands, and a line warns once', async () => {
  const primary = await startRedis()
  const replica = await startReplicaOf(primary)
  const { untilPaid, lines } = await payingService({ REDIS_URL: primary.url, REDIS_REPLICAS: '1' }, () =>
    replica.kill(),
  )
  await untilPaid()
  expect(lines(LACK).filter(({ reason }) => reason === '0 of 1 replicas')).toHaveLength(1)
})

test('in a Cluster the primary that has the task waits for its replicas', async () => {
  const [first, second] = await startCluster()
  const { run, lines } = await payingService({
    REDIS_URL: `redis+cluster://127.0.0.1:${second!.port}`,
    REDIS_REPLICAS: '1',
  })
  const arePaid = new Set<boolean>()
  // Only the first one has a replica.
  while (arePaid.size < 2) arePaid.add((await run()) === 'paid')
  expect(lines(LACK)).toContainEqual(expect.objectContaining({ reason: '0 of 1 replicas' }))
  expect(await effectsIn(first)).not.toEqual([])
})

test('by default no replica is waited for: a line at start says so, if the user may know that there are any', async () => {
  const primary = await startRedis()
  await primary.client.call('ACL', 'SETUSER', 'agent', 'on', '>password', '~*', '&*', '+@all', '-role')
  const alone = await payingService({ REDIS_URL: primary.url })
  expect(alone.lines(HINT)).toEqual([])
  await startReplicaOf(primary)
  await alone.untilPaid()
  expect(await furtherConnectionsTo(primary)).toBe(0)
  expect((await payingService({ REDIS_URL: primary.url })).lines(HINT)).toMatchObject([{ level: 'warn' }])
  const forbidden = await payingService({ REDIS_URL: `redis://agent:password@127.0.0.1:${primary.port}` })
  expect(forbidden.lines(HINT)).toEqual([])
  await forbidden.untilPaid()
})
