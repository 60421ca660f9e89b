import { expect, test } from 'vitest'
import { type RunResponse, runResponse } from '../../src/wire/contract.ts'
import { insist, send, someTasks, startReplicas, type Task } from './callers.ts'
import { countingModel } from './load.ts'
import { startRedis, type TestRedis } from './redis.ts'

const FIELDS = [
  ...['owner', 'until', 'fence', 'lost', 'counts', 'effects', 'response', 'kept', 'dead'],
  ...['c:', 'c:x', 'constructor', '__proto__'],
]
const VALUES = [
  ...[
    '',
    '0',
    '-1',
    '1',
    '0.5',
    '1e30',
    '-1e30',
    '1e308',
    '9007199254740993',
    '18446744073709551616',
    '0x7fffffffff',
  ],
  ...['inf', '-inf', 'nan', 'NaN', 'true', 'null', '[]', '{}', 'constructor', '__proto__', 'toString'],
  ...['lost', 'effects', '\0', '\ud800', '%s%n', 'x'.repeat(1_000_000), `["${'['.repeat(10_000)}`],
  '{"task_id":"x","status":"success","output":1,"metrics":{}}',
]
const UNAVAILABLE = 'Redis is unavailable: tasks are not shared with the other replicas'
/** A replica that has just seen Redis takes over only after this, in milliseconds. */
const TAKEOVER_MS = 4_100
const env = { RUN_TIMEOUT_SEC: '20', ANSWER_BY_SEC: '20', LOG_ERRORS: 'full' }

/** The key of a task, read from the one that a first task left. */
async function keysOf(redis: TestRedis, run: (task: Task) => Promise<unknown>, tasks: readonly Task[]) {
  const keys: string[] = []
  for (const task of tasks) {
    await run(task)
    const [key = ''] = await redis.client.keys(`*${task.task_id}*`)
    keys.push(key)
  }
  return keys
}

async function poisoned(count: number) {
  const redis = await startRedis()
  const model = await countingModel(0)
  const [replica] = await startReplicas(1, { ...model.env, ...env, REDIS_URL: redis.url })
  if (!replica) throw new Error('no replica')
  const tasks = someTasks(count)
  // A twin that keeps nothing of its own, so that only Redis remembers.
  const [reader] = await startReplicas(1, { ...model.env, ...env, REDIS_URL: redis.url })
  if (!reader) throw new Error('no replica')
  const keys = await keysOf(redis, task => send(replica, task), tasks)
  await new Promise(resolve => setTimeout(resolve, TAKEOVER_MS))
  return { redis, model, reader, tasks, keys }
}

test('any field holds anything: a well-formed reply, whoever waits, and no outage', async () => {
  const cases = FIELDS.flatMap(field => VALUES.map(value => [field, value] as const))
  const { redis, model, reader, tasks, keys } = await poisoned(cases.length)
  const replies = cases.map(async ([field, value], n) => {
    const [key = '', task] = [keys[n], tasks[n] as Task]
    // Half of them as if the task were running at a replica that is gone.
    if (n % 2 === 0) {
      await redis.client.del(key)
      await redis.client.hset(key, { owner: 'evil', until: '1', fence: '1' })
    }
    await redis.client.hset(key, field, value)
    const leaving = new AbortController()
    const left = reader.post(task, { signal: leaving.signal }).catch(() => undefined)
    setTimeout(() => leaving.abort(), 1)
    await left
    const response = await reader.post(task)
    return {
      name: `${field} ${value.slice(0, 40)}`,
      status: response.status,
      reply: (await response.json()) as RunResponse,
    }
  })
  for (const { name, status, reply } of await Promise.all(replies)) {
    expect(status, name).toBe(200)
    expect(() => runResponse.parse(reply), name).not.toThrow()
    const isGivenUp = /^(dead (lost|effects)|effects |lost )/.test(name)
    if (!isGivenUp) expect(reply, name).toMatchObject({ status: 'success' })
    else if (reply.status === 'error') expect(reply.error, name).toMatch(/was lost|were lost/)
  }
  expect(reader.child.exitCode).toBe(null)
  expect(reader.output.join()).not.toMatch(/crashed|"msg":"request"/)
  expect(reader.output.join()).not.toContain(UNAVAILABLE)
  await model.close()
})

test('a lease without end of a replica that does not exist: the task runs, and its caller may leave', async () => {
  const { redis, model, reader, tasks, keys } = await poisoned(4)
  for (const [n, until] of ['1e30', 'inf', 'nan', '99999999999999'].entries()) {
    const [key = '', task] = [keys[n], tasks[n] as Task]
    await redis.client.del(key)
    await redis.client.hset(key, { owner: 'evil', until })
    expect(await send(reader, task)).toMatchObject({ status: 'success' })
    expect(model.calls.get(task.input)).toBe(2)
  }
  await model.close()
})

test.each(['SET', 'RPUSH', 'SADD'])(
  'a key of another type (%s): the task runs once, is shared and replayed, and Redis counts as available',
  async command => {
    const { redis, model, reader, tasks, keys } = await poisoned(3)
    for (const [n, task] of tasks.entries()) {
      const key = keys[n] as string
      await redis.client.del(key)
      await redis.client.call(command, key, 'planted')
      const probe = 'agent-task:probe'
      await redis.client.del(probe)
      await redis.client.call(command, probe, 'planted')
      const replies = await Promise.all([insist([reader], task), insist([reader], task)])
      expect(replies[0]).toEqual(replies[1])
      expect(model.calls.get(task.input)).toBe(2)
      expect(await redis.client.hget(key, 'kept')).toBe('1')
    }
    await new Promise(resolve => setTimeout(resolve, 1_500))
    expect(reader.output.join()).not.toContain(UNAVAILABLE)
    await model.close()
  },
)
