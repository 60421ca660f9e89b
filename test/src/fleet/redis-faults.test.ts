import { EventEmitter } from 'node:events'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { CHANNEL } from '../../../src/fleet/lua.ts'
import { ScriptedModel } from '../../support/scripted-model.ts'
import { testService } from '../../support/service.ts'

type Script = (...args: unknown[]) => unknown

const sound = {
  claim: async () => ['run', 1, 0],
  beat: async () => 0,
  finish: async () => 0,
  leave: async () => null,
  subscribe: async () => 1,
} satisfies Record<string, Script>

const redis = vi.hoisted(() => ({ clients: [] as EventEmitter[], scripts: {} as Record<string, Script> }))

/** A client library that behaves as the test sets. */
vi.mock('ioredis', () => ({
  Redis: class extends EventEmitter {
    readonly status = 'ready'
    constructor() {
      super()
      redis.clients.push(this)
      for (const name of Object.keys(sound))
        Object.assign(this, { [name]: (...args: unknown[]) => redis.scripts[name]?.(...args) })
      setImmediate(() => this.emit('ready'))
    }
    disconnect() {}
  },
}))

beforeEach(() => {
  redis.clients = []
  redis.scripts = { ...sound }
})

async function sharingService() {
  const model = new ScriptedModel(() => 'fine')
  const env = { REDIS_URL: 'redis://127.0.0.1:1', LOG_ERRORS: 'brief' }
  const service = await testService(env, { models: [model.named()] })
  onTestFinished(() => service.close(0))
  const task = () => ({ task_id: crypto.randomUUID(), input: 'hello' })
  return { ...service, task }
}

const failsWith = (error: unknown) => async () => {
  throw error
}

const faults: Record<string, Script> = {
  'is not connected': failsWith(new Error("Stream isn't writeable and enableOfflineQueue options is false")),
  'loses its connection': failsWith(new Error('Connection is closed.')),
  'gives up': failsWith(
    Object.assign(new Error('Reached the max retries per request limit'), {
      name: 'MaxRetriesPerRequestError',
    }),
  ),
  'breaks a pipe': failsWith(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  'is full': failsWith(new Error("OOM command not allowed when used memory > 'maxmemory'.")),
  'is read-only': failsWith(new Error("READONLY You can't write against a read only replica.")),
  'is loading': failsWith(new Error('LOADING Redis is loading the dataset in memory')),
  'is busy': failsWith(new Error('BUSY Redis is busy running a script.')),
  'holds something else there': failsWith(
    new Error('WRONGTYPE Operation against a key holding the wrong kind of value'),
  ),
  'forbids it': failsWith(new Error("NOPERM User agent has no permissions to run the 'evalsha' command")),
  'has a fault in a script': failsWith(new Error('ERR Error running script: user_script:12: attempt')),
  'says no word why': failsWith(undefined),
  'fails with a word': failsWith('closed'),
  'throws at once': () => {
    throw new TypeError('Cannot read properties of undefined')
  },
  'never answers': () => new Promise(() => undefined),
  'answers null': async () => null,
}

const cases = Object.keys(sound).flatMap(name => Object.keys(faults).map(fault => [name, fault] as const))

test.each(cases)('%s: Redis %s, and the task is done', async (name, fault) => {
  const { post, task } = await sharingService()
  redis.scripts[name] = faults[fault] as Script
  for (const response of [await post(task()), await post(task(), { accept: 'text/event-stream' })]) {
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/"status":"success"/)
  }
})

test.each([
  ['no JSON', '{'],
  ['not an object', 'null'],
  ['an object of another kind', '{"status":"success"}'],
  ['a reply without its words', '{"task_id":"x","status":"success","metrics":{}}'],
])('a stored reply is %s: the task is done again', async (_name, stored) => {
  const { post, task } = await sharingService()
  redis.scripts.claim = async () => ['reply', stored]
  const response = await post(task())
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ status: 'success', output: 'fine' })
})

test.each(['error', 'newListener', '__proto__', ''])('ignores "%s" on the channel', async key => {
  const { post, task } = await sharingService()
  const [client] = redis.clients
  client?.emit('message', CHANNEL, key)
  await new Promise(resolve => setImmediate(resolve))
  expect((await post(task())).status).toBe(200)
})

test('Redis is lost while callers wait for another replica: they get replies when its lease is over', async () => {
  const { post, task } = await sharingService()
  const news = (key: unknown) => void redis.clients[0]?.emit('message', CHANNEL, key)
  redis.scripts.claim = async key => {
    redis.scripts.claim = faults['is not connected'] as Script
    setTimeout(news, 5, key)
    return ['wait', 40]
  }
  const response = await post(task())
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ status: 'success', output: 'fine' })
})
