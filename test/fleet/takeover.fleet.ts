import { createMask } from '@agent-task-service/masking'
import { tool } from '@langchain/core/tools'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { RedisLedger } from '../../packages/engine/fleet/redis-ledger.ts'
import { createLog } from '../../packages/engine/log/log.ts'
import packageJson from '../../packages/engine/package.json' with { type: 'json' }
import { runOf } from '../../packages/engine/run/run.ts'
import type { Claim, Lease } from '../../packages/engine/tasks/ledger.ts'
import { ScriptedModel } from '../../packages/engine/testing/scripted-model.ts'
import { testService } from '../support/service.ts'
import { startRedis, type TestRedis } from './redis.ts'

const log = createLog({ logLevel: 'silent', logErrors: 'brief' }, createMask([]))
const options = () => ({ mayRun: true, timeLeftMs: 30_000, signal: new AbortController().signal })
const success = (task_id: string, output: string) => ({
  ...{ task_id, status: 'success' as const, output },
  metrics: { duration_sec: 1, input_tokens: 1, output_tokens: 1, steps: 1 },
})
const LONGEST_LEASE_MS = 4_000
/** How long a replica must have served others for its loss to count, in milliseconds. */
const STEADY_MS = 10_000

/** The ledgers of replicas that have run long enough to take over. */
async function fleet(count: number): Promise<{ redis: TestRedis; ledgers: RedisLedger[] }> {
  const redis = await startRedis()
  const settings = { host: '127.0.0.1', port: redis.port, db: 0 }
  const ledgers = await Promise.all(
    Array.from({ length: count }, () =>
      RedisLedger.open({ settings, agentId: 'agent-1', replayTtlMs: 60_000, log }),
    ),
  )
  onTestFinished(() => ledgers.forEach(ledger => void ledger.close()))
  await new Promise(resolve => setTimeout(resolve, LONGEST_LEASE_MS + 100))
  return { redis, ledgers }
}

const newKey = () => ({ id: crypto.randomUUID(), content: 'digest' })

function leaseOf(claim: Claim): Lease {
  if (claim.kind !== 'run') throw new Error(`expected a lease, got ${claim.kind}`)
  return claim.lease
}

/** Waits as a caller does, until the task is done or ours. */
async function wait(ledger: RedisLedger, key: { id: string; content: string }): Promise<Claim> {
  for (;;) {
    const claim = await ledger.claim(key, options())
    if (claim.kind !== 'wait') return claim
    await claim.changed
  }
}

test("of many waiting replicas one takes over; the previous owner's result is refused, and it gets the answer too", async () => {
  const { redis, ledgers } = await fleet(3)
  const [first, second, third] = ledgers as [RedisLedger, RedisLedger, RedisLedger]
  const key = newKey()
  const before = leaseOf(await first.claim(key, options()))
  // It sleeps: nothing it sends gets through until the others are running.
  const asleep = await sleeping(redis, key)
  const claims = [wait(second, key), wait(third, key)]
  const taken = await Promise.race(claims)
  asleep.wake()
  expect(taken.kind).toBe('run')
  expect(await before.finish(success(key.id, 'old'))).toBe(false)
  await expect(before.effectsBegan()).rejects.toThrow('another replica')
  expect(before.signal.reason).toMatchObject({ reason: 'taken_over' })
  expect(await leaseOf(taken).finish(success(key.id, 'new'))).toBe(true)
  const others = (await Promise.all([...claims, wait(first, key)])).filter(claim => claim !== taken)
  for (const claim of others) expect(claim).toMatchObject({ kind: 'reply', response: { output: 'new' } })
  expect(others.length).toBe(2)
})

test('a replica whose answer was refused waits for the new owner, even if Redis then falls silent', async () => {
  const { redis, ledgers } = await fleet(2)
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const key = newKey()
  const before = leaseOf(await first.claim(key, options()))
  const asleep = await sleeping(redis, key)
  const taken = await wait(second, key)
  asleep.wake()
  expect(await before.finish(success(key.id, 'old'))).toBe(false)
  await redis.client.client('PAUSE', 1_000)
  expect((await first.claim(key, options())).kind).toBe('wait')
  await redis.client.client('UNPAUSE')
  expect(await leaseOf(taken).finish(success(key.id, 'new'))).toBe(true)
  expect(await wait(first, key)).toMatchObject({ kind: 'reply', response: { output: 'new' } })
})

/** As if the owner had failed to renew its lease for too long; the next owner's is left alone. */
async function sleeping(redis: TestRedis, { id }: { id: string }) {
  const [name = ''] = await redis.client.keys(`agent-task:*${id}*`)
  const owner = (await redis.client.hget(name, 'owner')) ?? ''
  const expire = `if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then redis.call('HSET', KEYS[1], 'until', 1) end`
  const timer = setInterval(() => void redis.client.eval(expire, 1, name, owner), 1)
  return { wake: () => clearInterval(timer) }
}

test('a tool with effects had started when the replica was lost: everyone learns that the outcome is unknown', async () => {
  const { ledgers } = await fleet(3)
  const [first, second, third] = ledgers as [RedisLedger, RedisLedger, RedisLedger]
  const key = newKey()
  await leaseOf(await first.claim(key, options())).effectsBegan()
  first.close()
  for (const ledger of [second, third]) {
    expect(await wait(ledger, key)).toMatchObject({
      kind: 'reply',
      response: {
        status: 'error',
        output: '',
        metrics: {},
        error: expect.stringContaining('outcome is unknown'),
      },
    })
  }
})

/** Each ledger has had a reply this long ago, until the clock is restored. */
async function serveOthers(ledgers: readonly RedisLedger[], agoMs: number) {
  for (const ledger of ledgers) {
    const key = newKey()
    await leaseOf(await ledger.claim(key, options())).finish(success(key.id, 'before'))
  }
  const now = performance.now.bind(performance)
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + agoMs)
  onTestFinished(() => later.mockRestore())
  return later
}

/** The ledgers get the task one after the other, and are lost while it runs there. */
async function loseEach(
  redis: TestRedis,
  ledgers: readonly RedisLedger[],
  key: ReturnType<typeof newKey>,
  begin = true,
) {
  const losses: (string | null)[] = []
  for (const ledger of ledgers) {
    const lease = leaseOf(await wait(ledger, key))
    if (begin) lease.began()
    // Later than a heartbeat on the same connection.
    expect((await ledger.claim(newKey(), options())).kind).toBe('run')
    ledger.close()
    const [name = ''] = await redis.client.keys(`*${key.id}*`)
    await redis.client.hset(name, 'until', 1)
    losses.push(await redis.client.hget(name, 'lost'))
  }
  return losses
}

const GIVEN_UP = { kind: 'reply', response: { status: 'error', error: expect.stringContaining('given up') } }

test('gives up a task once it was running at two replicas that were lost', async () => {
  const { redis, ledgers } = await fleet(3)
  const last = ledgers.at(-1) as RedisLedger
  await serveOthers(ledgers, STEADY_MS)
  const key = newKey()
  expect(await loseEach(redis, ledgers.slice(0, -1), key)).toEqual(['0', '1'])
  expect(await wait(last, key)).toMatchObject(GIVEN_UP)
  expect(await last.claim(key, options())).toMatchObject(GIVEN_UP)
  const [name = ''] = await redis.client.keys(`*${key.id}*`)
  expect(await redis.client.pttl(name)).toBeGreaterThan(0)
})

test('losses of replicas that only claimed the task, or had not served others for 10 s, do not count', async () => {
  const { redis, ledgers } = await fleet(7)
  const key = newKey()
  // A replica that crashes after each start.
  expect(await loseEach(redis, ledgers.slice(0, 2), key)).toEqual(['0', '0'])
  const clock = await serveOthers(ledgers.slice(2, 4), STEADY_MS - 2_000)
  expect(await loseEach(redis, ledgers.slice(2, 4), key)).toEqual(['0', '0'])
  clock.mockRestore()
  await serveOthers(ledgers.slice(4), STEADY_MS)
  expect(await loseEach(redis, ledgers.slice(4, 6), key, false)).toEqual(['0', '0'])
  leaseOf(await wait(ledgers[6] as RedisLedger, key))
})

test('callers of a lost replica do not count: the run ends when only they are left', async () => {
  const { ledgers } = await fleet(2)
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const key = newKey()
  const lease = leaseOf(await first.claim(key, options()))
  expect((await second.claim(key, options())).kind).toBe('wait')
  let isDeserted = false
  const deserted = lease.deserted().then(() => {
    isDeserted = true
  })
  await new Promise(resolve => setTimeout(resolve, 500))
  expect(isDeserted).toBe(false)
  second.close()
  await deserted
})

test('an error is kept for 5 s if someone waits for it, and otherwise not at all', async () => {
  const { redis, ledgers } = await fleet(2)
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const lives: number[] = []
  for (const isAwaited of [true, false]) {
    const key = newKey()
    const lease = leaseOf(await first.claim(key, options()))
    if (isAwaited) expect((await second.claim(key, options())).kind).toBe('wait')
    await lease.finish({ task_id: key.id, status: 'error', output: '', metrics: {}, error: 'no' })
    lives.push(await redis.client.pttl(`agent-task:agent-1:${packageJson.version}:${key.id}:digest`))
  }
  expect(lives[0]).toBeGreaterThan(4_000)
  expect(lives[0]).toBeLessThanOrEqual(5_000)
  // Redis's answer for a key that does not exist.
  expect(lives[1]).toBe(-2)
})

test('Redis forgets a run in flight: it is announced again, with its effects', async () => {
  const { redis, ledgers } = await fleet(2)
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const key = newKey()
  const lease = leaseOf(await first.claim(key, options()))
  await lease.effectsBegan()
  await redis.client.flushall()
  let names: string[] = []
  while (names.length === 0) names = await redis.client.keys(`*${key.id}*`)
  expect(await redis.client.hget(names[0] ?? '', 'effects')).toBe('1')
  expect(await redis.client.pttl(names[0] ?? '')).toBeGreaterThan(0)
  expect((await second.claim(key, options())).kind).toBe('wait')
  expect(await lease.finish(success(key.id, 'done'))).toBe(true)
  expect((await wait(second, key)).kind).toBe('reply')
})

test('Redis forgets, and another replica begins the task: each answers its own callers, neither begins again', async () => {
  const { redis, ledgers } = await fleet(2)
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const key = newKey()
  const one = leaseOf(await first.claim(key, options()))
  await redis.client.flushall()
  const two = leaseOf(await second.claim(key, options()))
  // At least one heartbeat from the first.
  await new Promise(resolve => setTimeout(resolve, 1_500))
  expect([one.signal.aborted, two.signal.aborted]).toEqual([false, false])
  expect([await one.finish(success(key.id, 'one')), await two.finish(success(key.id, 'two'))]).toEqual([
    true,
    true,
  ])
  expect(await first.claim(key, options())).toMatchObject({ kind: 'reply', response: { output: 'one' } })
})

test('a tool announces that it has effects, and the others know', async () => {
  const redis = await startRedis()
  let fields: Record<string, string> = {}
  const pay = tool(
    async (_args, config) => {
      await runOf(config)?.effectsBegan?.()
      const [name = ''] = await redis.client.keys('agent-task:agent-1:*')
      fields = await redis.client.hgetall(name)
      return 'paid'
    },
    { name: 'pay', description: 'pays', schema: z.object({}) },
  )
  const usage = { input: 3, output: 2 }
  const model = new ScriptedModel([
    { toolCalls: [{ name: 'pay' }], usage },
    { text: 'done', usage },
  ])
  const env = { REDIS_URL: redis.url }
  const service = await testService(env, { models: [model.named()], tools: [pay] })
  onTestFinished(() => service.close(0))
  const reply = await service.run('pay', undefined, crypto.randomUUID())
  expect(reply).toMatchObject({ status: 'success', output: 'done' })
  expect(fields).toMatchObject({ effects: '1', owner: expect.any(String) })
  // For an id that is not shared, or without Redis, there is nobody to tell.
  const again = new ScriptedModel([
    { toolCalls: [{ name: 'pay' }], usage },
    { text: 'done', usage },
  ])
  const alone = await testService({}, { models: [again.named()], tools: [pay] })
  expect(await alone.run('pay')).toMatchObject({ status: 'success' })
})
