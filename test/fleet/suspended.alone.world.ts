import type { TestProcess } from '@agent-task-service/test-support/process'
import { expect, test } from 'vitest'
import { insist, send, someTasks, startReplicas } from './callers.ts'
import { startHeldModel } from './held-model.ts'
import { startProxy } from './proxy.ts'
import { startRedis, type TestRedis } from './redis.ts'

/** Named in the tests' titles. */
const RUNS = 50
/** Model calls in a run. */
const CALLS = 2
/** How long a replica that is suspended keeps its tasks, in milliseconds. */
const LEASE_MS = 4_000
/** The model is held on purpose: nobody may lose patience with it. */
const env = {
  RUN_TIMEOUT_SEC: '20',
  ANSWER_BY_SEC: '20',
  REPLAY_TTL_SEC: '30',
  MODEL_PATIENCE_SEC: '20',
}

// It must not take its own sleep for the silence of Redis: it would close the connection and answer unasked.
test('50 runs whose replica is suspended while Redis owes it answers have one answer each', async () => {
  const redis = await startRedis()
  const world = await startHeldModel('second')
  const proxy = await startProxy(redis.port)
  proxy.latencyMs = 60
  const start = async (count: number, port: number) =>
    await startReplicas(count, { ...world.env, ...env, REDIS_URL: `redis://127.0.0.1:${port}` })
  const [[owner], others] = await Promise.all([start(1, proxy.port), start(2, redis.port)])
  const tasks = someTasks(RUNS)
  const first = tasks.map(task => send(owner!, task))
  await world.held(RUNS)
  owner!.child.kill('SIGSTOP')
  world.open()
  const again = await Promise.all(tasks.map((task, nth) => insist([others[nth % 2]!], task)))
  owner!.child.kill('SIGCONT')
  expect(await Promise.all(first)).toEqual(again)
  for (const [nth, { task_id, input }] of tasks.entries()) {
    expect(again[nth]).toMatchObject({ task_id, status: 'success', output: expect.stringMatching(/^answer/) })
    // One may have been in flight, which nobody has recorded.
    expect(world.calls.get(input)).toBeLessThanOrEqual(CALLS + 1)
  }
})

// EVIDENCE-OF docs/reference/fleet.md: One that is lost keeps them for 4 s after that (suspended, without network, its machine
//   gone)
test('50 runs whose replica is suspended for more than 2 s stay its own', async () => {
  const redis = await startRedis()
  const world = await startHeldModel('first')
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
