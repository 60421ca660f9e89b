import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testService } from '@agent-task-service/test-support/service'
import { createMask } from '@agent-task-service/wire/masking'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RedisLedger } from '../../packages/share/redis-ledger.ts'
import { documentsOf } from '../deploy/documents.ts'
import { startProxy } from './proxy.ts'
import { startRedis, type TestRedis } from './redis.ts'

type Claim = Awaited<ReturnType<RedisLedger['claim']>>
type Lease = Extract<Claim, { kind: 'run' }>['lease']
type Effect = Parameters<Lease['journal']['writeEffect']>[0]

const mask = createMask([])
const { log } = await testService()
const options = () => ({ mayRun: true, timeLeftMs: 30_000, signal: new AbortController().signal })
const success = (task_id: string, output: string) => ({
  ...{ task_id, status: 'success' as const, output },
  metrics: { duration_sec: 1, input_tokens: 1, output_tokens: 1, steps: 1 },
})
const LONGEST_LEASE_MS = 4_000
/** How long a replica must have served others for its loss to count, in milliseconds. */
const STEADY_MS = 10_000

async function openLedger(port: number, login: object = {}): Promise<RedisLedger> {
  const ledger = await RedisLedger.open({
    settings: { host: '127.0.0.1', port, db: 0, ...login },
    agentId: 'agent-1',
    agentDigest: 'digest',
    replayTtlMs: 60_000,
    journal: 'on',
    replicas: 0,
    mask,
    log,
  })
  onTestFinished(() => ledger.close())
  return ledger
}

/** Resolves when replicas have run long enough to take over. */
async function mayTakeOver(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, LONGEST_LEASE_MS + 100))
}

/** The ledgers of replicas that have run long enough to take over. */
async function fleet(
  count: number,
  redisArgs: readonly string[] = [],
): Promise<{ redis: TestRedis; ledgers: RedisLedger[] }> {
  const redis = await startRedis(redisArgs)
  const ledgers = await Promise.all(Array.from({ length: count }, () => openLedger(redis.port)))
  await mayTakeOver()
  return { redis, ledgers }
}

const newKey = () => ({ id: crypto.randomUUID(), content: 'digest' })
const effect = (key = 'key-1'): Effect => ({
  key,
  tool: 'pay',
  begunAt: 1_700_000_000_000,
  isDeclared: true,
})
const done = (effect: Effect): Effect => ({ ...effect, outcome: { kind: 'done', result: 'paid' } })

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

// EVIDENCE-OF docs/reference/fleet.md: If the lost replica returns with a result, it is refused, and its callers get the new
//   one.
// EVIDENCE-OF docs/reference/errors.md: Another replica took the task over; the callers get its answer (fleet.md)
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
  await expect(before.journal.writeEffect(effect())).rejects.toThrow('another replica')
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

/** When a claim was renewed last, by Redis's clock, in milliseconds. */
async function renewedAt(redis: TestRedis, { id }: { id: string }): Promise<number> {
  const [name = ''] = await redis.client.keys(`agent-task:*${id}*`)
  return Number(await redis.client.hget(name, 'until')) - LONGEST_LEASE_MS
}

// EVIDENCE-OF docs/reference/fleet.md: for 2 s if its connection to Redis is closed, as that of a killed process is.
// EVIDENCE-OF docs/reference/fleet.md: Without `+pubsub|numsub` all works, but tasks of a killed replica wait for 4 s.
test.each([
  { rights: 'all rights', without: [], lostAfterMs: [2_000, LONGEST_LEASE_MS] },
  { rights: 'no right to PUBSUB', without: ['-pubsub'], lostAfterMs: [LONGEST_LEASE_MS, 8_000] },
])(
  'the connection of a lost replica is closed, $rights',
  async ({ without, lostAfterMs: [least = 0, most] }) => {
    const redis = await startRedis()
    await redis.client.call('ACL', 'SETUSER', 'agent', 'on', '>pw', '~*', '&*', '+@all', ...without)
    const login = { username: 'agent', password: 'pw' }
    const [first, second] = await Promise.all([openLedger(redis.port, login), openLedger(redis.port, login)])
    await mayTakeOver()
    const key = newKey()
    leaseOf(await first.claim(key, options()))
    first.close()
    const before = await renewedAt(redis, key)
    expect((await wait(second, key)).kind).toBe('run')
    const lostAfter = (await renewedAt(redis, key)) - before
    expect(lostAfter).toBeGreaterThanOrEqual(least)
    expect(lostAfter).toBeLessThan(most!)
  },
)

test('a replica whose connection is closed every 100 to 500 ms keeps its run', async () => {
  const redis = await startRedis()
  const proxy = await startProxy(redis.port)
  const [first, second] = await Promise.all([openLedger(proxy.port), openLedger(redis.port)])
  await mayTakeOver()
  const key = newKey()
  const lease = leaseOf(await first.claim(key, options()))
  const tenSeconds = AbortSignal.timeout(10_000)
  const closing = (async () => {
    for (let ms = 100; !tenSeconds.aborted; ms = ms === 500 ? 100 : ms + 100) {
      proxy.reset()
      await new Promise(resolve => setTimeout(resolve, ms))
    }
  })()
  let longestMs = 0
  while (!tenSeconds.aborted) {
    expect((await second.claim(key, options())).kind).toBe('wait')
    const [seconds = '', micros = ''] = await redis.client.time()
    const now = Number(seconds) * 1000 + Number(micros) / 1000
    longestMs = Math.max(longestMs, now - (await renewedAt(redis, key)))
  }
  await closing
  process.stdout.write(
    `closed every 100 to 500 ms: at most ${longestMs.toFixed(0)} ms between two heartbeats\n`,
  )
  let stands = false
  while (!stands) stands = await lease.journal.writeEffect(effect())
  expect(await lease.finish(success(key.id, 'done'))).toBe(true)
})

// EVIDENCE-OF docs/reference/fleet.md: makes no call again that had ended: the model gets its recorded result.
test('a replica is lost: the next one knows what the run did, and so does one later, until it ends', async () => {
  const { redis, ledgers } = await fleet(3)
  const [first, second, third] = ledgers as [RedisLedger, RedisLedger, RedisLedger]
  const key = newKey()
  const lost = leaseOf(await first.claim(key, options()))
  expect(lost.journal.effects).toEqual([])
  for (const each of [effect('a'), done(effect('a')), effect('b')]) await lost.journal.writeEffect(each)
  first.close()
  const next = leaseOf(await wait(second, key))
  expect(next.journal.runId).toBe(lost.journal.runId)
  // Redis keeps no order.
  const known = next.journal.effects.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  expect(known).toMatchObject([done(effect('a')), effect('b')])
  await next.journal.writeEffect(effect('c'))
  await next.finish({ task_id: key.id, status: 'error', output: '', metrics: {}, error: 'no' })
  // Nobody knows about b and c, so the task is not forgotten with the error.
  const last = leaseOf(await third.claim(key, options()))
  expect(last.journal.runId).toBe(lost.journal.runId)
  expect(last.journal.effects.map(({ key }) => key).sort()).toEqual(['a', 'b', 'c'])
  const [name = ''] = await redis.client.keys(`*${key.id}*`)
  for (const open of [effect('b'), effect('c')]) await last.journal.writeEffect(done(open))
  await last.finish({ task_id: key.id, status: 'error', output: '', metrics: {}, error: 'no' })
  expect(await redis.client.exists(name)).toBe(1)
  const again = leaseOf(await third.claim(key, options()))
  expect(again.journal.runId).toBe(lost.journal.runId)
  await again.finish(success(key.id, 'done'))
})

/** The options of `compose.fleet.yaml` for its Redis, which keeps its data in a folder that ends with the test. */
async function composeArgs(): Promise<string[]> {
  const [{ services }] = documentsOf('compose.fleet.yaml') as [
    { services: { valkey: { command: string[] } } },
  ]
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return [...services.valkey.command.slice(1), '--dir', folder]
}

// EVIDENCE-OF docs/reference/fleet.md: What it has recorded stays, and no further call with side effects begins
test('a Redis as in compose.fleet.yaml is full: what it has recorded stays, and no further call begins', async () => {
  const { redis, ledgers } = await fleet(2, await composeArgs())
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const key = newKey()
  const lease = leaseOf(await first.claim(key, options()))
  for (const each of [effect('a'), done(effect('a'))]) await lease.journal.writeEffect(each)
  const [name = ''] = await redis.client.keys(`*${key.id}*`)
  await redis.client.config('SET', 'maxmemory', '100kb')
  expect(await lease.journal.writeEffect(effect('b'))).toBe(false)
  expect(await redis.client.hkeys(name)).toContain('e:a')
  first.close()
  await redis.client.config('SET', 'maxmemory', '0')
  expect(leaseOf(await wait(second, key)).journal.effects).toMatchObject([done(effect('a'))])
})

// EVIDENCE-OF docs/reference/fleet.md: With `appendfsync everysec`, its default, it has all that had reached its file
test('a Redis as in compose.fleet.yaml is killed: started again, it has what was recorded', async () => {
  const { redis, ledgers } = await fleet(1, await composeArgs())
  const [ledger] = ledgers as [RedisLedger]
  const key = newKey()
  const lease = leaseOf(await ledger.claim(key, options()))
  for (const each of [effect('a'), done(effect('a')), effect('b')]) await lease.journal.writeEffect(each)
  // Nobody announces the run again.
  ledger.close()
  // Redis puts off its writes while the disk is busy with an earlier one.
  await expect
    .poll(() => redis.client.info('persistence'), { timeout: 10_000 })
    .toMatch(/aof_buffer_length:0\r/)
  await redis.kill()
  await redis.restart()
  const [name = ''] = await redis.client.keys(`*${key.id}*`)
  expect(await redis.client.hgetall(name)).toMatchObject({
    'e:a': expect.stringContaining('paid'),
    'e:b': expect.any(String),
  })
})

// EVIDENCE-OF docs/reference/fleet.md: This holds for 24 hours after a run without success.
// EVIDENCE-OF docs/reference/fleet.md: A run that fails for another reason during such a call says so too.
// EVIDENCE-OF docs/reference/fleet.md: | a task with an answer of 2 kB | 3.2 kB
test('a run that failed is remembered for a day with what it has done, and a success as long as it is replayed', async () => {
  const { redis, ledgers } = await fleet(1)
  const [ledger] = ledgers as [RedisLedger]
  const life = async (end: (lease: Lease, id: string) => Promise<unknown>) => {
    const key = newKey()
    const lease = leaseOf(await ledger.claim(key, options()))
    await lease.journal.writeEffect(effect())
    await lease.journal.writeEffect(done(effect('key-2')))
    await lease.journal.writeEffect({ ...effect('key-3'), outcome: { kind: 'failed', message: 'declined' } })
    await end(lease, key.id)
    const [name = ''] = await redis.client.keys(`*${key.id}*`)
    return { ms: await redis.client.pttl(name), fields: await redis.client.hkeys(name) }
  }
  const error = { status: 'error' as const, output: '' as const, metrics: {}, error: 'no' }
  const failed = await life((lease, task_id) => lease.finish({ task_id, ...error }))
  const hungUp = await life(lease => lease.release())
  for (const { ms, fields } of [failed, hungUp]) {
    expect(ms).toBeGreaterThan(86_000_000)
    expect(fields).toEqual(expect.arrayContaining(['e:key-1', 'e:key-2']))
  }
  expect(failed.fields).not.toContain('e:key-3')
  const answered = await life((lease, id) => lease.finish(success(id, 'done')))
  expect(answered.ms).toBeLessThanOrEqual(60_000)
  expect(answered.fields).toEqual(expect.arrayContaining(['response', 'e:key-1', 'e:key-2']))
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

// EVIDENCE-OF docs/reference/fleet.md: A task that was running when two replicas were lost ends with `error`.
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

// EVIDENCE-OF docs/reference/fleet.md: Only losses that may be the task's fault count: its run had begun, and the replica had
//   been answering other tasks for 10 s.
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

// EVIDENCE-OF docs/reference/fleet.md: A run is cancelled when its last caller, at any replica, hangs up.
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

// EVIDENCE-OF docs/reference/fleet.md: for the duration of its run and then for `REPLAY_TTL_SEC` (a success), 5 s (anything
//   else that someone waits for) or 24 hours (one that has had side effects and no success)
test('an error is kept for 5 s if someone waits for it, and otherwise not at all', async () => {
  const { redis, ledgers } = await fleet(2)
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const lives: number[] = []
  for (const isAwaited of [true, false]) {
    const key = newKey()
    const lease = leaseOf(await first.claim(key, options()))
    if (isAwaited) expect((await second.claim(key, options())).kind).toBe('wait')
    await lease.finish({ task_id: key.id, status: 'error', output: '', metrics: {}, error: 'no' })
    lives.push(await redis.client.pttl(`agent-task:agent-1:${key.id}:digest`))
  }
  expect(lives[0]).toBeGreaterThan(4_000)
  expect(lives[0]).toBeLessThanOrEqual(5_000)
  // Redis's answer for a key that does not exist.
  expect(lives[1]).toBe(-2)
})

// EVIDENCE-OF docs/reference/fleet.md: Runs in flight are announced again within a second; a finished task runs again if it
//   is requested again
test('Redis forgets a run in flight: it is announced again, with its effects', async () => {
  const { redis, ledgers } = await fleet(2)
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const key = newKey()
  const lease = leaseOf(await first.claim(key, options()))
  for (const each of [effect('a'), done(effect('a')), effect('b')]) await lease.journal.writeEffect(each)
  await redis.client.flushall()
  let names: string[] = []
  while (names.length === 0) names = await redis.client.keys(`*${key.id}*`)
  expect(await redis.client.hgetall(names[0] ?? '')).toMatchObject({
    'e:a': expect.stringContaining('paid'),
    'e:b': expect.any(String),
    run: lease.journal.runId,
  })
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

test('Redis forgets, and another replica begins the task: the one without effects makes way', async () => {
  const { redis, ledgers } = await fleet(2)
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const key = newKey()
  const one = leaseOf(await first.claim(key, options()))
  await one.journal.writeEffect(effect())
  await redis.client.flushall()
  const two = leaseOf(await second.claim(key, options()))
  const [name = ''] = await redis.client.keys(`*${key.id}*`)
  const run = async () => await redis.client.hget(name, 'run')
  while ((await run()) !== one.journal.runId);
  await expect(two.journal.writeEffect(effect('other'))).rejects.toThrow('another replica')
  expect(await two.finish(success(key.id, 'two'))).toBe(false)
  expect(await one.finish(success(key.id, 'one'))).toBe(true)
  expect(await second.claim(key, options())).toMatchObject({ kind: 'reply', response: { output: 'one' } })
})

test('a claim whose answer was lost took over a run with effects: the task is claimed again', async () => {
  const { redis, ledgers } = await fleet(2)
  const [first, second] = ledgers as [RedisLedger, RedisLedger]
  const key = newKey()
  const lost = leaseOf(await first.claim(key, options()))
  await lost.journal.writeEffect(effect())
  first.close()
  const [name = ''] = await redis.client.keys(`*${key.id}*`)
  await redis.client.hset(name, 'until', 1)
  await redis.client.client('PAUSE', 400)
  const alone = leaseOf(await second.claim(key, options()))
  expect(alone.journal.runId).not.toBe(lost.journal.runId)
  while ((await redis.client.hget(name, 'fence')) !== '2');
  const written = async () => {
    while (!(await alone.journal.writeEffect(effect('other')))) await redis.client.ping()
  }
  await expect(written()).rejects.toThrow('another replica')
  expect(await redis.client.hkeys(name)).not.toContain('e:other')
})
