import { some } from '@agent-task-service/test-support/at-length'
import { expect, test } from 'vitest'
import { insist, send, someTasks, startReplicas } from './callers.ts'
import { POINTS, type Point, startWorld } from './points.ts'
import { startProxy } from './proxy.ts'
import { startRedis } from './redis.ts'

/** Named in the tests' titles. */
const RUNS = 50
/** Model calls in a run. */
const CALLS = 2
/** Where a model call may be in flight, which nobody has recorded: it is made again. */
const IN_FLIGHT: readonly Point[] = ['call-sent', 'call-answered', 'tool-done']
/** From here on no model call is left to be made: all are recorded, or the reply is stored. */
const ALL_MADE: readonly Point[] = ['before-stored', 'stored', 'answered']
/** Redis's answer for a key that does not expire. */
const NEVER = -1
/** The model is held on purpose: nobody may lose patience with it. */
const env = {
  RUN_TIMEOUT_SEC: '20',
  ANSWER_BY_SEC: '20',
  REPLAY_TTL_SEC: '30',
  MODEL_PATIENCE_SEC: '20',
}

// EVIDENCE-OF docs/reference/fleet.md: Only losses that may be the task's fault count: its run had begun, and the replica had
//   been answering other tasks for 10 s.
test.for(some(POINTS, 3))('50 runs at the point "%s" whose replica is killed', point =>
  lose(point, 'SIGKILL'),
)

const SUSPENDED = ['call-sent', 'tool-done', 'before-stored'] as const
// EVIDENCE-OF docs/reference/fleet.md: Only losses that may be the task's fault count: its run had begun, and the replica had
//   been answering other tasks for 10 s.
test.for(some(SUSPENDED, 3))('50 runs at the point "%s" whose replica is suspended', point =>
  lose(point, 'SIGSTOP'),
)

// Such a replica must not take its own sleep for the silence of Redis: it would close the connection and answer unasked.
test('50 runs whose replica is suspended while Redis owes it answers', () => lose('tool-done', 'SIGSTOP', 60))

async function lose(point: Point, signal: 'SIGKILL' | 'SIGSTOP', latencyMs = 0): Promise<void> {
  const redis = await startRedis()
  const world = await startWorld(point === 'answered' ? undefined : point)
  const proxy = await startProxy(redis.port)
  const start = async (count: number, port: number) =>
    await startReplicas(count, { ...world.env, ...env, REDIS_URL: `redis://127.0.0.1:${port}` })
  const [[owner], others] = await Promise.all([start(1, proxy.port), start(2, redis.port)])
  if (!owner) throw new Error('no replica')
  proxy.latencyMs = latencyMs
  const tasks = someTasks(RUNS)
  // Callers of a killed replica try the others; those of a suspended one get an answer when it wakes up.
  const first = tasks.map((task, n) =>
    signal === 'SIGKILL' ? insist([owner, others[n % 2] ?? owner], task) : send(owner, task),
  )
  await (point === 'answered' ? Promise.all(first) : world.held(RUNS))
  const callsBefore = new Map(world.calls)
  const nextStep = world.nextStep()
  owner.child.kill(signal)
  const killedAt = performance.now()
  world.open()
  // More callers, at all remaining replicas.
  const again = await Promise.all(tasks.map((task, n) => insist([others[n % 2] ?? owner], task)))
  const slowest = performance.now() - killedAt
  const isAllMade = ALL_MADE.includes(point)
  const backAtWorkMs = isAllMade ? 0 : (await nextStep) - killedAt
  if (signal === 'SIGSTOP') owner.child.kill('SIGCONT')
  const replies = await Promise.all(first)
  process.stdout.write(
    `${point}, ${signal}: at work again after ${backAtWorkMs.toFixed(0)} ms, all answered after ${slowest.toFixed(0)} ms\n`,
  )

  for (const [n, { task_id, input }] of tasks.entries()) {
    expect(replies[n]).toMatchObject({ task_id, status: 'success', output: expect.stringMatching(/^answer/) })
    expect(again[n]).toEqual(replies[n])
    expect(world.calls.get(input)).toBeLessThanOrEqual(CALLS + (IN_FLIGHT.includes(point) ? 1 : 0))
    if (isAllMade) expect(world.calls.get(input)).toBe(callsBefore.get(input))
  }
  expect(backAtWorkMs).toBeLessThan(6_000)
  // Everything in Redis expires.
  const keys = await redis.client.keys('agent-task:*')
  const lives = await Promise.all(keys.map(key => redis.client.pttl(key)))
  expect(lives).not.toContain(NEVER)
  expect(Math.max(0, ...lives)).toBeLessThanOrEqual(30_000)
}
