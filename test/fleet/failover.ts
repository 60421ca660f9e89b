import { until } from '@agent-task-service/test-support/until'
import { expect } from 'vitest'
import { insist, pick, send, someTasks, startReplicas, type Task } from './callers.ts'
import { countingModel } from './load.ts'

const MODEL_MS = 500
const TIMEOUT_SEC = 12
const RUNS = 60
/** A lost replica's tasks are taken over by one that has seen Redis for so long, in milliseconds. */
const LEASE_MS = 4_000
const SHARED = 'tasks are shared with the other replicas'

/**
 * Two replicas share tasks, also while and after Redis fails over, and take over from each other.
 *
 * @param failOver resolves once another one has been told to be the primary, or will be without help
 */
export async function shareThroughFailover(
  REDIS_URL: string,
  failOver: () => Promise<unknown>,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const model = await countingModel(MODEL_MS)
  const replicas = await startReplicas(2, {
    ...model.env,
    ...more,
    REDIS_URL,
    RUN_TIMEOUT_SEC: `${TIMEOUT_SEC}`,
    ANSWER_BY_SEC: `${TIMEOUT_SEC}`,
    MODEL_PATIENCE_SEC: `${TIMEOUT_SEC}`,
  })
  const [one, two] = replicas as [(typeof replicas)[0], (typeof replicas)[0]]
  const runsOf = ({ input }: Task) => model.calls.get(input) ?? 0
  await Promise.all(replicas.map(({ line }) => line(({ msg }) => msg === SHARED)))
  const share = async () => {
    const tasks = someTasks(8)
    const replies = await Promise.all(
      tasks.map(async task => await Promise.all(replicas.map(replica => send(replica, task)))),
    )
    for (const [first, second] of replies) expect(second).toEqual(first)
    expect(tasks.map(runsOf)).toEqual(tasks.map(() => 1))
  }
  await share()

  const sent = someTasks(RUNS).map(async (task, nth) => {
    await new Promise(resolve => setTimeout(resolve, nth * 60))
    const sentAt = performance.now()
    const replies = await Promise.all([send(pick(replicas), task), send(pick(replicas), task)])
    return { task, replies, ms: performance.now() - sentAt }
  })
  await until(() => model.calls.size > 20)
  await failOver()
  const failedAt = performance.now()
  const isBack = replicas.map(({ line }) => line(({ level, msg }) => level === 'warn' && msg === SHARED))
  const ended = await Promise.all(sent)
  for (const { task, replies } of ended) {
    expect(replies.map(({ status }) => status)).toEqual(['success', 'success'])
    expect([1, 2]).toContain(runsOf(task))
  }
  const slowest = Math.max(...ended.map(({ ms }) => ms))
  expect(slowest).toBeLessThan(TIMEOUT_SEC * 1000)
  await Promise.all(isBack)
  const backAfter = performance.now() - failedAt
  const mayTakeOver = new Promise(resolve => setTimeout(resolve, LEASE_MS))
  await share()

  await mayTakeOver
  const [task] = someTasks(1) as [Task]
  const lost = send(one, task).catch(() => undefined)
  await until(() => runsOf(task) === 1)
  one.child.kill('SIGKILL')
  expect(await insist([two], task)).toMatchObject({ status: 'success' })
  expect(await lost).toBeUndefined()
  expect(two.output.join()).toContain('task taken over')
  for (const { errors } of replicas) expect(errors()).toBe('')
  const twice = ended.filter(({ task }) => runsOf(task) === 2).length
  return `${twice} of ${RUNS} run twice, slowest ${slowest.toFixed(0)} ms; shared again after ${backAfter.toFixed(0)} ms\n`
}
