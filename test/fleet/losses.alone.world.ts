import { some } from '@agent-task-service/test-support/at-length'
import type { TestProcess } from '@agent-task-service/test-support/process'
import { expect, test } from 'vitest'
import { insist, send, someTasks, startReplicas } from './callers.ts'
import { POINTS, type Point, startWorld } from './points.ts'
import { startProxy } from './proxy.ts'
import { startRedis, type TestRedis } from './redis.ts'

/** Named in the tests' titles. */
const RUNS = 50
/** Model calls in a run. */
const CALLS = 2
/** Where a model call may be in flight, which nobody has recorded: it is made again. */
const IN_FLIGHT: readonly Point[] = ['call-sent', 'call-answered', 'tool-done']
/** From here on no model call is left to be made: all are recorded, or the reply is stored. */
const ALL_MADE: readonly Point[] = ['before-stored', 'stored', 'answered']
/** How long a replica that is suspended keeps its tasks, in milliseconds. */
const LEASE_MS = 4_000
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

// EVIDENCE-OF docs/reference/fleet.md: One that is lost keeps them for 4 s after that (suspended, without network, its machine
//   gone)
test('50 runs whose replica is suspended for more than 2 s stay its own', async () => {
  const redis = await startRedis()
  const world = await startWorld('call-sent')
  const replicas = await startReplicas(3, { ...world.env, ...env, REDIS_URL: redis.url })
  const [owner, other, another] = replicas as [TestProcess, TestProcess, TestProcess]
  const tasks = someTasks(RUNS)
  const sendTo = (replica: TestProcess) => tasks.map(task => send(replica, task))
  const isAwaited = async (by: number) =>
    (await tasksIn(redis)).every(
      task => Object.keys(task).filter(name => name.startsWith('c:')).length === by,
    )
  const first = sendTo(owner)
  await world.held(RUNS)
  // Only replicas that have seen Redis for the time of a lease take over.
  await new Promise(resolve => setTimeout(resolve, LEASE_MS + 500))
  const others = sendTo(other)
  while (!(await isAwaited(1)));
  owner.child.kill('SIGSTOP')
  while (!(await areOld(redis)));
  // They claim it at once.
  others.push(...sendTo(another))
  while (!(await isAwaited(2)));
  owner.child.kill('SIGCONT')
  world.open()
  const replies = await Promise.all(first)
  expect(await Promise.all(others)).toEqual([...replies, ...replies])
  expect([...world.calls.values()]).toEqual(tasks.map(() => CALLS))
})

/** The tasks that Redis holds, by the names of their fields. */
async function tasksIn({ client }: TestRedis): Promise<Record<string, string>[]> {
  const keys = (await client.keys('agent-task:*')).filter(key => /[\da-f]{12}:[^:]+$/.test(key))
  return await Promise.all(keys.map(key => client.hgetall(key)))
}

/** Whether no task was renewed in the last two seconds. */
async function areOld(redis: TestRedis): Promise<boolean> {
  const [seconds, micros] = (await redis.client.time()).map(Number) as [number, number]
  const leftMs = ({ until }: Record<string, string>) => Number(until) - seconds * 1000 - micros / 1000
  return (await tasksIn(redis)).every(task => leftMs(task) < LEASE_MS - 2_000)
}

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
