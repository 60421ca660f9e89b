import { randomUUID } from 'node:crypto'
import { crowd } from '@agent-task-service/test-support/at-length'
import { testService } from '@agent-task-service/test-support/service'
import { createMask } from '@agent-task-service/wire/masking'
import { expect, onTestFinished, test } from 'vitest'
import { RedisLedger } from '../../packages/share/redis-ledger.ts'
import { RedisPair } from './redis-pair.ts'

/** Side effects of a task that begin at once. */
const AT_ONCE = 20

/** Shows what `REDIS_REPLICAS=1` adds to the begin of a side effect, by how far the replica is away. */
test.each([0, 50])('a side effect begins, known to a replica that is %i ms away', async heldMs => {
  const { primary } = await RedisPair.start(heldMs)
  const { log } = await testService()
  const stored: boolean[] = []
  const measure = async (replicas: number, atOnce: number) => {
    const ledger = await RedisLedger.open({
      settings: { host: '127.0.0.1', port: primary.port, db: 0 },
      agentId: 'agent-1',
      agentDigest: 'digest',
      replayTtlMs: 0,
      journal: 'on',
      replicas,
      mask: createMask([]),
      log,
    })
    onTestFinished(() => ledger.close())
    const { signal } = new AbortController()
    const claim = await ledger.claim(
      { id: randomUUID(), content: 'x' },
      { mayRun: true, timeLeftMs: 60_000, signal },
    )
    if (claim.kind !== 'run') throw new Error(`expected a run, got ${claim.kind}`)
    const begin = async (key: string) => {
      const begunAt = performance.now()
      stored.push(
        await claim.lease.journal.writeEffect({ key, tool: 'pay', begunAt: Date.now(), isDeclared: true }),
      )
      return performance.now() - begunAt
    }
    await begin('connects')
    const times: number[] = []
    for (let n = 0; n < crowd(400, 40) / atOnce; n += 1)
      times.push(...(await Promise.all(Array.from({ length: atOnce }, (_, nth) => begin(`${n}-${nth}`)))))
    await claim.lease.release()
    times.sort((one, other) => one - other)
    const at = (share: number) => times[Math.floor(share * (times.length - 1))]!.toFixed(1)
    return `${at(0.5)} ms (median), ${at(0.99)} ms (99 of 100)`
  }
  for (const atOnce of [1, AT_ONCE])
    for (const replicas of [0, 1])
      process.stdout.write(
        `replica ${heldMs} ms away, REDIS_REPLICAS ${replicas}, ${atOnce} at once: ${await measure(replicas, atOnce)}\n`,
      )
  process.stdout.write(`${stored.filter(isStored => !isStored).length} of ${stored.length} refused\n`)
  expect(stored).toContain(true)
})
