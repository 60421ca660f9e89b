import { EventEmitter } from 'node:events'
import { inspect } from 'node:util'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { some } from '@agent-task-service/test-support/at-length'
import { startCollector } from '@agent-task-service/test-support/collector'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { testService } from '@agent-task-service/test-support/service'
import { tool } from '@langchain/core/tools'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'

type Script = (...args: unknown[]) => unknown

const RUN = 'r'.repeat(22)
const sound = {
  claim: async () => ['run', 1, 0, RUN],
  beat: async () => ['ours', 0],
  finish: async () => ['ours', 0],
  leave: async () => null,
  subscribe: async given => {
    channel = given
    return 1
  },
} satisfies Record<string, Script>

const redis = vi.hoisted(() => ({ clients: [] as EventEmitter[], scripts: {} as Record<string, Script> }))

/** A client library that behaves as the test sets. */
vi.mock('ioredis', async original => ({
  ...(await original<object>()),
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

let time: FakeTime
/** To which each replica subscribes. */
let channel: unknown

beforeEach(() => {
  time = fakeTime()
  redis.clients = []
  redis.scripts = { ...sound }
})

const UNAVAILABLE = 'Redis is unavailable: tasks are not shared with the other replicas'
const SHARED = 'tasks are shared with the other replicas'

async function sharingService(more: Record<string, string> = {}) {
  const model = new ScriptedModel(() => 'fine')
  const env = { REDIS_URL: 'redis://127.0.0.1:1', LOG_ERRORS: 'brief', ...more }
  const service = await testService(env, { models: [model.named()] })
  onTestFinished(() => service.close(0))
  const task = () => ({ task_id: crypto.randomUUID(), input: 'hello' })
  const post: typeof service.post = (...of) => time.until(service.post(...of))
  return { ...service, post, postOnly: service.post, task, model }
}

const failsWith = (error: unknown) => async () => {
  throw error
}

const faults: Record<string, Script> = {
  'is not connected': failsWith(new Error("Stream isn't writeable and enableOfflineQueue options is false")),
  'loses its connection': failsWith(new Error('Connection is closed.')),
  'breaks a pipe': failsWith(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  'is full': failsWith(new Error("OOM command not allowed when used memory > 'maxmemory'.")),
  'is busy': failsWith(new Error('BUSY Redis is busy running a script.')),
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

// EVIDENCE-OF docs/reference/fleet.md: `/health` never uses Redis
// EVIDENCE-OF docs/reference/threat-model.md: Meanwhile each replica joins and replays only its own tasks
test.each(some(Object.keys(faults), 3))('Redis %s: the task is done, whatever was asked', async fault => {
  const { post, task } = await sharingService()
  for (const name of Object.keys(sound)) redis.scripts[name] = faults[fault] as Script
  for (const response of [await post(task()), await post(task(), { accept: 'text/event-stream' })]) {
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/"status":"success"/)
  }
})

test.each(['error', 'newListener', '__proto__', ''])('ignores "%s" on the channel', async key => {
  const { post, task } = await sharingService()
  const [client] = redis.clients
  client?.emit('message', channel, key)
  await new Promise(resolve => setImmediate(resolve))
  expect((await post(task())).status).toBe(200)
})

// EVIDENCE-OF docs/reference/fleet.md: Nothing waits for it and no run fails: each replica carries on as if it were alone.
test('Redis is lost while callers wait for another replica: they get replies when its lease is over', async () => {
  const { post, task } = await sharingService()
  const news = (key: unknown) => void redis.clients[0]?.emit('message', channel, key)
  redis.scripts.claim = async key => {
    redis.scripts.claim = faults['is not connected'] as Script
    setTimeout(news, 5, key)
    return ['wait', 40]
  }
  const response = await post(task())
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ status: 'success', output: 'fine' })
})

const success = { task_id: 'x', status: 'success', output: 'planted' }
const metrics = { duration_sec: 1, input_tokens: 1, output_tokens: 1, steps: 1 }
const malformed: unknown[] = [
  ...[Number.NaN, 1e30, 'inf', '', '__proto__', null, [], {}, [[]], 'x'.repeat(100_000)],
  ...[
    ['ours'],
    ['ours', -1],
    ['ours', 'inf'],
    ['rival', 1],
    ['run'],
    ['run', 1, 0],
    ['run', 0.5, 0, RUN],
    ['run', 1, 7, RUN],
    ['run', 1, 0, 'short'],
    ['wait', 1e30],
    ['wait', 'inf'],
    ['dead', 'constructor'],
    ['dead', 'lost', 'e:key', '{}'],
    ['run', 1, 0, RUN, 'e:key'],
    ['run', 1, 0, RUN, 'e:key', '{'],
    ['run', 1, 0, RUN, 'e:a b', '{"tool":"pay","begunAt":1,"isDeclared":true}'],
  ],
  ...[
    { ...success, metrics: { ...metrics, duration_sec: 'inf' } },
    { ...success, metrics, more: 1 },
    { ...success, status: 'constructor', metrics },
  ].map(reply => ['reply', JSON.stringify(reply)]),
  ...['{', 'null', '['.repeat(100_000)].map(text => ['reply', text]),
]

// EVIDENCE-OF docs/reference/fleet.md: | holds what is not valid | It is ignored, and the task runs alone.
// EVIDENCE-OF docs/reference/threat-model.md: What is malformed is ignored
test('a claim gets a malformed answer: the task is done, also when its caller leaves first', async () => {
  const { app, tasks, post, task } = await sharingService()
  for (const answer of some(malformed, 4)) {
    redis.scripts.claim = async () => answer
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const leaving = new AbortController()
    const left = app.request('/run', { ...init, body: JSON.stringify(task()), signal: leaving.signal })
    leaving.abort()
    await time.until(Promise.resolve(left).catch(() => undefined))
    expect(await (await post(task())).json(), inspect(answer)).toMatchObject({ output: 'fine' })
  }
  await time.until(tasks.idle())
})

test('a record of side effects that is malformed: a tool that says it has some does not run', async () => {
  const pay = tool(async () => expect.unreachable(), {
    name: 'pay',
    description: 'pays',
    schema: z.object({}),
    metadata: { readOnlyHint: false },
  })
  const model = new ScriptedModel([{ toolCalls: [{ name: 'pay' }] }, ({ messages }) => messages.at(-1)!.text])
  const service = await testService(
    { REDIS_URL: 'redis://127.0.0.1:1' },
    { models: [model.named()], tools: [pay] },
  )
  onTestFinished(() => service.close(0))
  redis.scripts.claim = async () => [
    'run',
    1,
    0,
    RUN,
    'e:key',
    '{"tool":"pay","begunAt":"now","isDeclared":true}',
  ]
  const reply = await service.run('pay', undefined, crypto.randomUUID())
  expect(reply).toMatchObject({
    status: 'success',
    output: expect.stringContaining('cannot be recorded now'),
  })
})

// EVIDENCE-OF docs/reference/fleet.md: | holds what is not valid | It is ignored, and the task runs alone.
test.each(['beat', 'finish', 'leave'])('%s gets a malformed answer: the task is done', async name => {
  const { post, task } = await sharingService()
  for (const answer of some(malformed, 4)) {
    redis.scripts[name] = async () => answer
    expect(await (await post(task())).json(), inspect(answer)).toMatchObject({ output: 'fine' })
  }
})

test('a replica is told for ever that it has lost the task: its caller gets a reply in time', async () => {
  const { post, task } = await sharingService({ RUN_TIMEOUT_SEC: '0.1', ANSWER_BY_SEC: '0.1' })
  redis.scripts.finish = async () => ['taken_over']
  const response = await post(task())
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ status: expect.stringMatching(/success|timeout/) })
})

// EVIDENCE-OF docs/reference/fleet.md: Whoever claims a task waits up to 100 ms, and asks a second time before running the
//   task alone, which may be a second run of it.
test('the first claim is lost: it is made once more, with the same token, before the task runs alone', async () => {
  const { post, task } = await sharingService()
  const tokens: unknown[] = []
  redis.scripts.claim = async (_key, ...given) => {
    tokens.push(given[given.indexOf('token') + 1])
    return await (tokens.length === 1 ? new Promise(() => undefined) : ['run', 1, 0, RUN])
  }
  expect(await (await post(task())).json()).toMatchObject({ output: 'fine' })
  expect(tokens.length).toBe(2)
  expect(tokens[1]).toBe(tokens[0])
})

// EVIDENCE-OF docs/reference/fleet.md: That is never silent: the metric `agent.fleet.tasks` counts it as `run_alone`, and the
//   log has a line at most every 10 s
test('tasks run alone although Redis is there: one line, then one every 10 s with how many', async () => {
  const { post, task, lines, model } = await sharingService()
  redis.scripts.claim = async () => ['nonsense']
  await time.pass(1)
  for (let n = 0; n < 5; n += 1) await post(task())
  const alone = () => lines.filter(({ msg }) => msg === 'Redis did not say who runs a task: it runs alone')
  expect(alone()).toEqual([expect.objectContaining({ level: 'warn', reason: 'not valid', count: 1 })])
  await time.pass(10_000)
  expect(alone().slice(1)).toEqual([expect.objectContaining({ reason: 'not valid', count: 4 })])
  await time.pass(60_000)
  expect(alone().length).toBe(2)
  expect(model.requests.length).toBe(5)
})

// EVIDENCE-OF docs/reference/fleet.md: An operation may take 100 ms; after 0.2 s of failures, none is attempted until Redis
//   answers a probe, sent once a second.
test('after a change of the password the log says WRONGPASS, not only that the connection closed', async () => {
  const { lines } = await sharingService()
  const [client] = redis.clients
  const refuse = () => client?.emit('error', new Error('WRONGPASS invalid username-password pair'))
  redis.scripts.beat = failsWith(new Error("Stream isn't writeable"))
  client?.emit('close')
  for (let n = 0; n < 3; n += 1) {
    refuse()
    client?.emit('close')
  }
  const told = lines.filter(({ msg }) => msg === UNAVAILABLE)
  expect(told.map(({ reason }) => reason)).toEqual(['closed', 'WRONGPASS'])
})

test.each([
  ['MOVED 3999 10.0.0.7:6381', 'MOVED'],
  ["CROSSSLOT Keys in request don't hash to the same slot", 'CROSSSLOT'],
  ['DENIED Redis is running in protected mode because', 'DENIED'],
  ['ERR DB index is out of range', 'ERR DB index is out of range'],
  [
    "ERR unknown command 'evalsha', with args beginning with: 'agent-task:1'",
    "ERR unknown command 'evalsha'",
  ],
  ['ERR Error running script: user_script:12: 10.0.0.7', 'ERR Error running script'],
  [`ERR ${'very '.repeat(50)}long`, `ERR ${'very '.repeat(50)}`.slice(0, 60)],
  ['closed', 'closed'],
])('what Redis says first is the reason, also if it closes the connection then: %s', async (said, reason) => {
  redis.scripts.subscribe = failsWith(new Error(said))
  redis.scripts.beat = failsWith(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  const service = sharingService()
  await time.pass(1)
  redis.clients[0]?.emit('close')
  const { lines } = await service
  expect(lines.filter(({ msg }) => msg === UNAVAILABLE)).toMatchObject([{ reason }])
})

test('a database that Redis refuses: the connection ends, and the reason names the database', async () => {
  const { lines } = await sharingService({ REDIS_URL: 'redis://127.0.0.1:1/7' })
  const [client] = redis.clients
  const ended = vi.fn()
  Object.assign(client!, { disconnect: ended })
  const error = new Error("NOPERM this user has no permissions to run the 'select' command")
  client?.emit('error', Object.assign(error, { command: { name: 'select' } }))
  expect(ended).toHaveBeenCalledWith(true)
  expect(lines.filter(({ msg }) => msg === UNAVAILABLE)).toMatchObject([{ reason: 'SELECT 7: NOPERM' }])
})

test('of the words that Redis makes up a few are reasons', async () => {
  const { lines } = await sharingService()
  const letters = (n: number) => String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26))
  for (let n = 0; n < 500; n += 1) redis.clients[0]?.emit('error', new Error(`CODE${letters(n)} of someone`))
  const reasons = lines.filter(({ msg }) => msg === UNAVAILABLE).map(({ reason }) => reason)
  expect(reasons).toHaveLength(20)
  for (let n = 0; n < 50; n += 1) redis.clients[0]?.emit('error', new Error(`SECRET${n} of someone`))
  expect(JSON.stringify(lines)).not.toContain('SECRET')
})

// EVIDENCE-OF docs/reference/fleet.md: The metric `agent.fleet.shared` is 0 meanwhile. The log has one `warn` for each change
//   and each new reason
test('a connection that is lost all the time: each state at most once in 10 s, with a count', async () => {
  const { lines } = await sharingService()
  const [client] = redis.clients
  const flap = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      client?.emit('close')
      client?.emit('ready')
      await time.pass(100)
    }
  }
  await flap(99)
  const states = () =>
    lines.filter(({ msg }) => msg === UNAVAILABLE || msg === SHARED).map(({ msg, count }) => [msg, count])
  expect(states().slice(1)).toEqual([
    [UNAVAILABLE, 1],
    [SHARED, 1],
  ])
  await flap(2)
  expect(states().slice(3)).toEqual([
    [SHARED, 99],
    [UNAVAILABLE, 100],
  ])
})

/** Notes each operation, with its arguments, before it is done as the test sets. */
function noted() {
  const operations: { name: string; at: number; args: unknown[] }[] = []
  for (const [name, script] of Object.entries(redis.scripts))
    redis.scripts[name] = (...args) => {
      operations.push({ name, at: performance.now(), args })
      return script(...args)
    }
  return operations
}

// EVIDENCE-OF docs/reference/fleet.md: `/health` never uses Redis
test('GET /health asks Redis nothing', async () => {
  const { app } = await sharingService()
  const operations = noted()
  expect((await app.request('/health')).status).toBe(200)
  expect(operations).toEqual([])
})

// EVIDENCE-OF docs/reference/fleet.md: `test-<n>` ids are never shared.
// EVIDENCE-OF docs/reference/threat-model.md: Another replica runs the task again, unless both share a Redis.
test('a task with an id test-<n> is not shared, however often it comes', async () => {
  const { post, model } = await sharingService()
  const operations = noted()
  for (let n = 0; n < 2; n += 1) await post({ task_id: 'test-1', input: 'hello' })
  expect(model.requests.length).toBe(2)
  expect(operations.filter(({ name }) => name !== 'beat')).toEqual([])
})

// EVIDENCE-OF docs/reference/fleet.md: Redis holds task ids, digests of requests, texts of answers, what tools with side effects returned
//   and a digest of their arguments, all masked like replies, and while a task runs what its models and tools have said, unless a secret
//   is in it; never a request, a token or an API key.
// EVIDENCE-OF docs/reference/threat-model.md: It holds no API key and no token
test('Redis gets ids, digests and masked answers: no request, token or key', async () => {
  const [token, key, prompt, input] = ['token-of-callers', 'key-of-the-model', 'Be a clerk.', 'my question']
  const model = new ScriptedModel(() => `the key is ${key}, the token ${token}`)
  const env = { REDIS_URL: 'redis://127.0.0.1:1', AGENT_TOKENS: token, OPENAI_API_KEY: key }
  const service = await testService(env, { models: [model.named()] })
  onTestFinished(() => service.close(0))
  const operations = noted()
  const task_id = crypto.randomUUID()
  const headers = { authorization: `Bearer ${token}` }
  await service.post({ task_id, input, config: { system_prompt: prompt } }, headers)
  const given = JSON.stringify(operations.map(({ args }) => args))
  for (const words of [task_id, 'the key is [redacted], the token [redacted]']) expect(given).toContain(words)
  for (const words of [token, key, prompt, input]) expect(given).not.toContain(words)
})

// EVIDENCE-OF docs/reference/fleet.md: An operation may take 100 ms; after 0.2 s of failures, none is attempted until Redis
//   answers a probe, sent once a second.
// EVIDENCE-OF docs/reference/fleet.md: Whoever claims a task waits up to 100 ms, and asks a second time before running the
//   task alone, which may be a second run of it.
// EVIDENCE-OF docs/reference/threat-model.md: Meanwhile each replica joins and replays only its own tasks
test('an operation has 100 ms; after 0.2 s of failures only a probe a second is sent, until one is answered', async () => {
  const { post, postOnly, task } = await sharingService()
  for (const name of Object.keys(sound)) redis.scripts[name] = faults['never answers'] as Script
  const operations = noted()
  const isProbe = ({ args: [key] }: (typeof operations)[number]) => key === 'agent-task:probe'
  const ofTasks = () => operations.filter(operation => !isProbe(operation))
  const begunAt = performance.now()
  /** To 10 ms, of which a run takes some. */
  const times = () => ofTasks().map(({ name, at }) => [name, Math.floor((at - begunAt) / 10) * 10])
  const turns = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) await time.pass(10)
  }
  const reply = postOnly(task())
  await turns(200)
  while (ofTasks().length < 3) await time.pass(1)
  await turns(100)
  expect(await (await reply).json()).toMatchObject({ output: 'fine' })
  expect(times()).toEqual([
    ['claim', 0],
    ['claim', 100],
    // With what the model replied.
    ['beat', 200],
  ])
  await (await post(task())).json()
  await turns(5_000)
  expect(times()).toHaveLength(3)
  const probes = operations.filter(isProbe).map(({ at }) => at)
  expect(probes.length).toBeGreaterThanOrEqual(5)
  expect(probes.slice(1).map((at, n) => at - probes[n]!)).toEqual(probes.slice(1).map(() => 1_000))
  redis.scripts = { ...sound }
  const again = noted()
  await turns(1_000)
  await (await post(task())).json()
  expect(again.map(({ name }) => name)).toEqual(expect.arrayContaining(['beat', 'claim', 'finish']))
})

// EVIDENCE-OF docs/reference/fleet.md: The metric `agent.fleet.shared` is 0 meanwhile. The log has one `warn` for each change
//   and each new reason
test.each([
  { state: 'answers', metric: 1 },
  { state: 'closes the connection', metric: 0 },
])('Redis $state: the metric agent.fleet.shared is $metric', async ({ metric }) => {
  const collector = await startCollector()
  const { close } = await sharingService(collector.env)
  if (metric === 0) redis.clients[0]?.emit('close')
  await close()
  expect(collector.metric('agent.fleet.shared')).toMatchObject([{ sum: metric }])
})

// EVIDENCE-OF docs/reference/fleet.md: That is never silent: the metric `agent.fleet.tasks` counts it as `run_alone`, and the
//   log has a line at most every 10 s
test('metrics count what happens to shared tasks, and how long Redis takes', async () => {
  const collector = await startCollector()
  const { post, task, close } = await sharingService(collector.env)
  const claims = async (...says: unknown[][]) => {
    const sent = task()
    redis.scripts.claim = async () => (says.length > 1 ? says.shift() : says[0])
    await (await post(sent)).text()
    return sent
  }
  const ran = ['run', 1, 0, RUN]
  await post(await claims(ran))
  const elsewhere = ['reply', JSON.stringify({ ...success, metrics })]
  await claims(elsewhere)
  await claims(['wait', 1], elsewhere)
  await claims(['run', 2, 1, RUN])
  await claims(['dead', 'lost'])
  await claims(['nonsense'])
  redis.scripts.finish = async () => ['taken_over']
  await claims(ran, elsewhere)
  redis.scripts.finish = failsWith(new Error('OOM command not allowed'))
  await claims(ran)
  redis.scripts.finish = async () => ['ours', 0]
  await claims(['run', 2, 0, RUN, 'e:key', '{"tool":"pay","begunAt":1,"isDeclared":true}'])
  await close()
  expect(collector.metric('agent.fleet.effects')).toMatchObject([
    { attributes: { 'agent.fleet.event': 'unknown', 'gen_ai.tool.name': 'pay' }, sum: 1 },
  ])
  const events = collector
    .metric('agent.fleet.tasks')
    .map(({ attributes, sum }) => [attributes['agent.fleet.event'], sum])
  expect(Object.fromEntries(events)).toEqual({
    joined: 1,
    replayed: 2,
    taken_over: 1,
    given_up: 1,
    run_alone: 1,
    answer_refused: 1,
  })
  const operations = collector.metric('agent.fleet.operation.duration').map(({ attributes }) => attributes)
  for (const operation of ['claim', 'beat', 'finish'])
    expect(operations).toContainEqual({ 'agent.fleet.operation': operation })
  expect(operations).toContainEqual({ 'agent.fleet.operation': 'finish', 'error.type': 'OOM' })
})

test.each<[string, number]>([
  ['', 1],
  ['agent-7', 0],
])(
  'REDIS_URL with AGENT_ID=%s: a warning if agents that share the Redis cannot be told apart',
  async (AGENT_ID, count) => {
    const { lines } = await sharingService({ AGENT_ID })
    const warnings = lines.filter(({ msg }) => String(msg).startsWith('AGENT_ID is not set'))
    expect(warnings.map(({ level }) => level)).toEqual(Array(count).fill('warn'))
  },
)
