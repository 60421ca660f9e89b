import { some } from '@agent-task-service/test-support/at-length'
import type { LogLine } from '@agent-task-service/test-support/process'
import { afterAll, expect, test } from 'vitest'
import { pick, send, someTasks, startReplicas } from './callers.ts'
import { countingModel, watchHealth } from './load.ts'
import { startProxy, type TestProxy } from './proxy.ts'
import { startRedis, type TestRedis } from './redis.ts'

const RUNS = 200
/** One after another throughout the events, at least this many milliseconds apart; each goes to two replicas. */
const EVERY_MS = 20
const MODEL_MS = 1_000
const TIMEOUT_SEC = 12
/** The load before and after an event, in milliseconds. */
const BEFORE_MS = 1_500
const AFTER_MS = 1_000

interface Scene {
  readonly redis: TestRedis
  readonly proxies: readonly TestProxy[]
}

interface Trouble {
  begin(scene: Scene): unknown
  end?(scene: Scene): unknown
  /** How long it lasts, in milliseconds. */
  readonly lasts: number
  /** Whether replicas may notice nothing. */
  readonly isSilent?: boolean
}

function misbehave(proxies: readonly TestProxy[], how: Partial<TestProxy>): void {
  for (const proxy of proxies) Object.assign(proxy, how)
}

const troubles: Record<string, Trouble> = {
  'is well': { lasts: 0, isSilent: true, begin: () => undefined },
  'restarted empty': {
    lasts: 2_000,
    begin: ({ redis }) => redis.kill(),
    end: ({ redis }) => redis.restart(),
  },
  'paused for 8 s': {
    lasts: 8_000,
    begin: ({ redis }) => void redis.child.kill('SIGSTOP'),
    end: ({ redis }) => void redis.child.kill('SIGCONT'),
  },
  FLUSHALL: { lasts: 0, isSilent: true, begin: ({ redis }) => redis.client.flushall() },
  'maxmemory reached': {
    lasts: 3_000,
    begin: ({ redis }) => redis.client.config('SET', 'maxmemory', '100kb'),
    end: ({ redis }) => redis.client.config('SET', 'maxmemory', '0'),
  },
  'all replicas cut off from their replies': {
    lasts: 6_000,
    begin: ({ proxies }) => misbehave(proxies, { isCut: true }),
    end: ({ proxies }) => misbehave(proxies, { isCut: false }),
  },
  '200 ms of latency': {
    lasts: 4_000,
    begin: ({ proxies }) => misbehave(proxies, { latencyMs: 200 }),
    end: ({ proxies }) => misbehave(proxies, { latencyMs: 0 }),
  },
}

/** Observations, one line each. */
const days: string[] = []
afterAll(() => void process.stdout.write(`${days.join('\n')}\n`))

// EVIDENCE-OF docs/guides/deployment.md: Without Redis, each replica joins and replays only its own tasks: at another replica the same
//   request is a new run, correct but paid for twice.
// EVIDENCE-OF docs/reference/fleet.md: After that a waiting caller or a retry gets the run at its own replica, which goes on
//   from its last step, in the time it has left.
// EVIDENCE-OF docs/guides/deployment.md: Add Redis if a task must not be paid for twice or its answer must not depend on the replica.
// EVIDENCE-OF docs/reference/fleet.md: Nothing waits for it and no run fails: each replica carries on as if it were alone.
// EVIDENCE-OF docs/reference/fleet.md: Only the sharing is lost, and the record of side effects.
// EVIDENCE-OF docs/reference/fleet.md: It refuses to write (`OOM`), and counts as down until tasks have expired.
// EVIDENCE-OF docs/reference/threat-model.md: Each replica works alone
// EVIDENCE-OF docs/guides/deployment.md: while it is away tasks still run.
test.for(some(Object.keys(troubles), 4))('Redis %s: every run gets its reply in time', async name => {
  const trouble = troubles[name] as Trouble
  const redis = await startRedis()
  await underLoad(name, redis, trouble)
})

// EVIDENCE-OF docs/reference/fleet.md: Only the sharing is lost, and the record of side effects.
// EVIDENCE-OF docs/reference/fleet.md: One Redis, or an address that moves to another one when it fails over, which is noticed
// EVIDENCE-OF docs/reference/fleet.md: Redis copies to its replicas after it has answered, so one that is promoted may lack the
//   last writes.
test('Redis fails over to one that lacks the last writes: every run gets its reply in time', async () => {
  const redis = await startRedis()
  const next = await startRedis(['--replicaof', `127.0.0.1 ${redis.port}`])
  await underLoad('fails over', redis, {
    lasts: 1_000,
    begin: async () => {
      // It has what was there before, and nothing since.
      await next.client.replicaof('NO', 'ONE')
      await new Promise(resolve => setTimeout(resolve, 500))
      await redis.kill()
    },
    end: ({ proxies }) => misbehave(proxies, { target: next.port }),
  })
})

async function underLoad(name: string, redis: TestRedis, trouble: Trouble): Promise<void> {
  const model = await countingModel(MODEL_MS)
  const proxies = await Promise.all([1, 2, 3].map(() => startProxy(redis.port)))
  const starts = proxies.map(({ port }) =>
    startReplicas(1, {
      ...model.env,
      LOG_ERRORS: 'full',
      REDIS_URL: `redis://127.0.0.1:${port}`,
      RUN_TIMEOUT_SEC: `${TIMEOUT_SEC}`,
      ANSWER_BY_SEC: `${TIMEOUT_SEC}`,
      // If others hold the processors, the model must still not be called twice: calls count as runs.
      MODEL_PATIENCE_SEC: `${TIMEOUT_SEC}`,
      REPLAY_TTL_SEC: '5',
    }),
  )
  const replicas = (await Promise.all(starts)).flat()
  for (const replica of replicas) await send(replica, { task_id: 'test-1', input: 'warm up' })

  const health = watchHealth(replicas)
  const tasks = someTasks(RUNS)
  const everyMs = Math.max(EVERY_MS, (BEFORE_MS + trouble.lasts + AFTER_MS) / RUNS)
  const sent = tasks.map(async (task, n) => {
    await new Promise(resolve => setTimeout(resolve, n * everyMs))
    const [one, two] = [pick(replicas), pick(replicas)]
    const sentAt = performance.now()
    const first = send(one, task)
    const second = new Promise(resolve => setTimeout(resolve, 200)).then(() => send(two, task))
    const replies = await Promise.all([first, second])
    return { task, replies, ms: performance.now() - sentAt }
  })
  await new Promise(resolve => setTimeout(resolve, BEFORE_MS))
  await trouble.begin({ redis, proxies })
  await new Promise(resolve => setTimeout(resolve, trouble.lasts))
  await trouble.end?.({ redis, proxies })
  const ended = await Promise.all(sent)
  const checks = await health()

  let twice = 0
  for (const { task, replies } of ended) {
    for (const { status } of replies) expect(status).toBe('success')
    const runs = model.calls.get(task.input) ?? 0
    expect(runs).toBeGreaterThan(0)
    expect(runs).toBeLessThanOrEqual(2)
    if (runs === 2) twice += 1
    else expect(replies[1]?.output).toBe(replies[0]?.output)
  }
  const slowest = Math.max(...ended.map(({ ms }) => ms))
  expect(slowest).toBeLessThan(TIMEOUT_SEC * 1000)
  const noticed = replicas.filter(({ output }) => output.join().includes('Redis is unavailable'))
  if (!trouble.isSilent) expect(noticed).not.toEqual([])
  const isBack = ({ level, msg }: LogLine) => level === 'warn' && String(msg).startsWith('tasks are shared')
  if (trouble.end) for (const { line } of noticed) await line(isBack)
  days.push(
    `Redis ${name}: ${twice} of ${RUNS} run twice, slowest ${slowest.toFixed(0)} ms; ${checks} health checks`,
  )
}
